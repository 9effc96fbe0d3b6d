import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { makeDatabase, startCommand } from "./_command.ts";

const TOKEN = "*:*.an-admin-token-of-my-choice";
const HEADERS = `Host: localhost\r\nAuthorization: ${TOKEN}\r\nContent-Type: application/json\r\n`;
const STALLED_HEADERS = `GET /api/admin/projects HTTP/1.1\r\n${HEADERS}X-Slow: `;
const STALLED_BODY = `POST /api/admin/context HTTP/1.1\r\n${HEADERS}Content-Length: 1040000\r\n\r\n{"name":"${"x".repeat(1_000_000)}`;
const GET = `GET /api/admin/projects HTTP/1.1\r\n${HEADERS}\r\n`;

async function startAdmin(environment: Record<string, string> = {}, openFileLimit?: number) {
  const command = startCommand(
    { ...(await makeDatabase()), INIT_ADMIN_API_TOKENS: TOKEN, ...environment },
    [],
    { openFileLimit },
  );
  const url = await command.listening();
  const metric = async (name: string): Promise<number | undefined> => {
    const { body } = await send(`${url}/internal-backstage/prometheus`);
    const line = body.split("\n").find((each) => each.startsWith(`flags_admin_${name} `));
    return line === undefined ? undefined : Number(line.split(" ").at(-1));
  };
  return { command, url, port: Number(new URL(url).port), metric };
}

/** Sends a request on a new connection. The status is 0 if the connection was closed. */
async function send(url: string): Promise<{ readonly status: number; readonly body: string }> {
  const sent = get(url, { agent: false, headers: { authorization: TOKEN } });
  try {
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return { status: response.statusCode ?? 0, body: await text(response) };
  } catch {
    return { status: 0, body: "" };
  }
}

/** Connects clients that read nothing and never close their side of the connection. */
async function connectClients(port: number, count: number, bytes: string): Promise<Socket[]> {
  const clients = Array.from({ length: count }, () => {
    const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    return socket;
  });
  await Promise.all(clients.map((client) => once(client, "connect")));
  for (const client of clients) client.write(bytes);
  return clients;
}

const eventually: typeof expect.poll = (read) => expect.poll(read, { timeout: 50_000 });

test("stalled requests time out although no client closes its connection", async () => {
  const { port, metric } = await startAdmin();
  await connectClients(port, 20, STALLED_HEADERS);
  await connectClients(port, 10, STALLED_BODY);
  await connectClients(port, 10, "nonsense\r\n\r\n");
  const slowClients = await connectClients(port, 10, STALLED_BODY);
  const timer = setInterval(() => slowClients.forEach((client) => client.write("x")), 500);
  onTestFinished(() => clearInterval(timer));
  await eventually(() => metric("connections")).toBeGreaterThan(30);
  // The request timeout is 30 s.
  await eventually(() => metric("connections")).toBe(1);
});

test.skipIf(process.platform === "win32")(
  "with few file descriptors, the default connection limit leaves enough to serve requests",
  async () => {
    const { command, url, port, metric } = await startAdmin({}, 300);
    expect(await metric("connections_max")).toBe(150);
    await connectClients(port, 400, STALLED_HEADERS);
    for (let round = 0; round < 20; round += 1) {
      // oxlint-disable-next-line no-await-in-loop -- the requests must be sequential
      await eventually(async () => (await send(`${url}/api/admin/projects`)).status).toBe(200);
    }
    expect(await metric("connections")).toBeLessThanOrEqual(150);
    expect(await metric('connections_closed_total{reason="idle"}')).toBeGreaterThan(0);
    expect(command.stdout().match(/The limit of 150 connections is reached/g)).toHaveLength(1);
  },
);

test("a connection with many pipelined requests is closed after the first of them", async () => {
  const { port, metric } = await startAdmin();
  const request = "GET /docs/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const [client] = await connectClients(port, 1, request.repeat(1000));
  client?.resume();
  await eventually(() => metric('connections_closed_total{reason="pipelining"}')).toBe(1);
  const handled = 'http_requests_total{method="GET",route="/docs/openapi.json",status="200"}';
  expect((await metric(handled)) ?? 0).toBeLessThanOrEqual(1);
});

test("MAX_CONNECTIONS: an invalid value is rejected", async () => {
  const { code, stderr } = await startCommand({ MAX_CONNECTIONS: "none" }).finished();
  expect(code).toBe(1);
  expect(stderr).toContain(
    'MAX_CONNECTIONS must be a whole number from 1 to 1000000: current value is "none"',
  );
});

test.skipIf(process.platform === "win32")(
  "MAX_CONNECTIONS: a value above the open-file limit causes a warning with both numbers",
  async () => {
    const { command } = await startAdmin({ MAX_CONNECTIONS: "5000" }, 300);
    expect(command.stdout()).toContain(
      "MAX_CONNECTIONS is 5000, but the open-file limit of this process, which includes connections, is 300: raise it (ulimit -n), or set MAX_CONNECTIONS to at most 150",
    );
  },
);

test("SIGTERM with stalled clients ends the process with exit code 0", async () => {
  const { command, port, metric } = await startAdmin();
  await connectClients(port, 20, STALLED_HEADERS);
  await connectClients(port, 20, STALLED_BODY);
  await connectClients(port, 20, GET.repeat(20));
  await eventually(() => metric("connections")).toBeGreaterThan(50);
  await connectClients(port, 20, "nonsense\r\n\r\n");
  command.child.kill("SIGTERM");
  // After 9.5 s, the process would end itself with exit code 1.
  expect((await command.finished()).code).toBe(0);
});
