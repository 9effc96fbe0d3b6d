import { once } from "node:events";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { eventually, runCommand, untilReady } from "./_command.ts";
import { connectClient } from "./_connections.ts";
import {
  connectClients,
  dribble,
  GET,
  HEADERS,
  STALLED_BODY,
  STALLED_HEADERS,
  startProxyCommand,
} from "./_stalled-connections.ts";
import { send } from "./_workers.ts";

/** Repeats a request until the proxy serves it: connections above the limit are closed. */
async function untilServed(url: string): Promise<void> {
  await eventually(() =>
    send(`${url}/proxy`).then(
      ({ status }) => status,
      () => 0,
    ),
  ).toBe(200);
}

async function responseOn(client: Socket): Promise<string> {
  client.write(GET);
  const [received] = (await once(client, "data")) as [Buffer];
  return received.toString();
}

test("FLAGS_MAX_CONNECTIONS: idle connections are closed for new ones, busy ones continue, one warning is logged", async () => {
  const environment = { FLAGS_MAX_CONNECTIONS: "4", FLAGS_PUSH_MAX_STREAMS: "3" };
  const { command, url, port, metric } = await startProxyCommand(environment);
  const stream = await connectClient(port);
  const body = '{"context":{}}';
  stream.write(
    `POST /proxy/stream HTTP/1.1\r\n${HEADERS}Accept: text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(String((await once(stream, "data"))[0])).toContain("200 OK");
  await connectClients(port, 40);
  // New connections are closed until others have been idle long enough to be closed instead.
  await untilServed(url);
  const client = await connectClient(port);
  await untilReady(url);
  expect(await responseOn(client)).toContain('"name":"on"');
  expect(await metric("connections_max")).toBe(4);
  expect(await metric("connections")).toBeLessThanOrEqual(4);
  expect(await metric('connections_closed_total{reason="limit"}')).toBeGreaterThan(30);
  expect(await metric('connections_closed_total{reason="idle"}')).toBeGreaterThan(0);
  expect(stream.readableEnded).toBe(false);
  expect(command.output.stdout.match(/The limit of 4 connections is reached/g)).toHaveLength(1);
});

test.skipIf(process.platform === "win32")(
  "with few file descriptors, the default limit leaves enough to serve other clients",
  async () => {
    const { url, port, metric } = await startProxyCommand({}, 300);
    expect(await metric("connections_max")).toBe(236);
    await connectClients(port, 400, STALLED_HEADERS);
    for (let index = 0; index < 20; index += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await untilServed(url);
    }
    expect(await metric("connections")).toBeLessThanOrEqual(236);
  },
);

test.skipIf(process.platform === "win32")(
  "a limit above the open-file limit is logged at startup, with both numbers",
  async () => {
    const { command } = await startProxyCommand({ FLAGS_MAX_CONNECTIONS: "5000" }, 300);
    expect(command.output.stdout).toContain(
      "FLAGS_MAX_CONNECTIONS is 5000, but the open-file limit of this process, which includes connections, is 300: raise it (ulimit -n), or set FLAGS_MAX_CONNECTIONS to at most 236",
    );
  },
);

test("FLAGS_MAX_CONNECTIONS=0 is rejected with a message that names it", async () => {
  const { code, stderr } = await runCommand({ FLAGS_MAX_CONNECTIONS: "0" });
  expect(code).toBe(1);
  expect(stderr).toContain(
    'FLAGS_MAX_CONNECTIONS must be a whole number from 1 to 1000000: current value is "0"',
  );
});

test("FLAGS_MAX_CONNECTIONS is a limit for each worker, above which connections are closed", async () => {
  const { url, port, metric } = await startProxyCommand({
    FLAGS_PROXY_WORKERS: "2",
    FLAGS_MAX_CONNECTIONS: "3",
  });
  await connectClients(port, 40);
  await untilServed(url);
  // A request for the metrics can exceed the limit, too.
  const read = (name: string) => eventually(() => metric(name).catch(() => undefined));
  await read("connections_max").toBe(6);
  await read("connections").toBeLessThanOrEqual(6);
  await read('connections_closed_total{reason="limit"}').toBeGreaterThan(20);
});

test.each([{}, { FLAGS_PROXY_WORKERS: "2" }])(
  "SIGTERM with clients that stall and never close: exit code 0 (%j)",
  async (environment) => {
    const { command, port, metric } = await startProxyCommand(environment);
    await connectClients(port, 20, STALLED_HEADERS);
    await connectClients(port, 20, STALLED_BODY);
    await connectClients(port, 20, GET.repeat(20));
    dribble(await connectClients(port, 20, STALLED_BODY));
    await eventually(() => metric("connections")).toBeGreaterThan(60);
    await connectClients(port, 20, "nonsense\r\n\r\n");
    command.signal("SIGTERM");
    // The exit code would be 1 at the time limit of 9.5 s.
    expect((await command.finished()).code).toBe(0);
  },
);
