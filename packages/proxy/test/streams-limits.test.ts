import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { sized } from "../../../scripts/test-size.ts";
import { startCommand } from "./_command.ts";
import { flag, withConstraint } from "./_documents.ts";
import { startFeatureServer } from "./_feature-server.ts";
import { readEvents, type EventReader } from "../../server-kit/test/_event-reader.ts";
import { errorOf, KEY, OTHER_KEY, proxyConfig, startProxy, type RunningApp } from "./_proxy.ts";

const push = proxyConfig().push;
const ON_PLAN = flag("for-pro", { strategies: [withConstraint("plan", ["pro"])] });

const HEADERS = { "content-type": "application/json", accept: "text/event-stream" };

const init = (context: object, key = KEY): RequestInit => ({
  method: "POST",
  body: JSON.stringify({ context }),
  headers: { ...HEADERS, authorization: key },
});

const open = ({ url }: Pick<RunningApp, "url">, context: object, key = KEY): Promise<EventReader> =>
  readEvents(`${url}/proxy/stream`, init(context, key));

const tryToOpen = ({ url }: Pick<RunningApp, "url">, context: object, key = KEY) =>
  fetch(`${url}/proxy/stream`, init(context, key));

const metricOf = async (proxy: RunningApp, name: string): Promise<number> => {
  const text = await (await proxy.request("/proxy/internal-backstage/prometheus")).text();
  return Number(new RegExp(`^flags_proxy_push_${name} (\\d+)$`, "m").exec(text)?.[1]);
};

test("413 if the context exceeds 16 KiB", async () => {
  const proxy = await startProxy({ document: { features: [ON_PLAN] } });
  const text = "x".repeat(9000);
  const response = await tryToOpen(proxy, { plan: text, note: text });
  expect(response.status).toBe(413);
  expect((await errorOf(response)).error).toContain("exceed 16 KiB");
});

test("a client key can only use its share of the streams", async () => {
  const config = { push: { ...push, maxStreams: 4 } };
  const proxy = await startProxy({ config, document: { features: [] } });
  await Promise.all([open(proxy, {}), open(proxy, {})]);
  const refused = await tryToOpen(proxy, {});
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  await Promise.all([open(proxy, {}, OTHER_KEY), open(proxy, {}, OTHER_KEY)]);
  expect((await tryToOpen(proxy, {}, OTHER_KEY)).status).toBe(503);
});

test("maxStreamsPerKey replaces the default share", async () => {
  const config = { push: { ...push, maxStreams: 4, maxStreamsPerKey: 1 } };
  const proxy = await startProxy({ config, document: { features: [] } });
  await open(proxy, {});
  expect((await tryToOpen(proxy, {})).status).toBe(503);
  await open(proxy, {}, OTHER_KEY);
});

test("the contexts of all streams share a memory limit, and closing a stream releases its memory", async () => {
  const config = { push: { ...push, maxContextBytes: 65_536, maxStreamsPerKey: 10_000 } };
  const proxy = await startProxy({ config, document: { features: [ON_PLAN] } });
  // Each requires about 20 kB: two bytes per character.
  const context = { plan: "x".repeat(10_000) };
  const abort = new AbortController();
  const first = await fetch(`${proxy.url}/proxy/stream`, {
    ...init(context),
    signal: abort.signal,
  });
  expect(first.status).toBe(200);
  await Promise.all([open(proxy, context), open(proxy, context)]);
  const refused = await tryToOpen(proxy, context);
  expect(refused.status).toBe(503);
  abort.abort();
  await expect.poll(() => metricOf(proxy, "streams")).toBe(2);
  await open(proxy, context);
  expect(await metricOf(proxy, "context_bytes")).toBeLessThanOrEqual(65_536);
});

test("only the first one of pipelined streams is opened, and ends with its connection", async () => {
  const config = { push: { ...push, maxStreams: 8 } };
  const proxy = await startProxy({ config, document: { features: [] } });
  const body = JSON.stringify({ context: {} });
  const head = ["POST /proxy/stream HTTP/1.1", "Host: a", `Authorization: ${KEY}`];
  for (const [name, value] of Object.entries(HEADERS)) head.push(`${name}: ${value}`);
  const text = `${head.join("\r\n")}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const client = connect(proxy.port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  client.write(text.repeat(4));
  await expect.poll(() => metricOf(proxy, "streams")).toBe(1);
  client.destroy();
  await expect.poll(() => metricOf(proxy, "streams")).toBe(0);
  expect(await metricOf(proxy, "context_bytes")).toBe(0);
});

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

test.runIf(process.platform === "linux")(
  "streams that were opened with bodies of 800 kB do not increase the memory of the process",
  async () => {
    const count = sized(100, 200);
    const upstream = await startFeatureServer({ features: [ON_PLAN] });
    const command = startCommand({
      FLAGS_URL: upstream.url,
      FLAGS_API_TOKEN: "default:development.secret",
      FLAGS_PROXY_CLIENT_KEYS: KEY,
    });
    const url = await command.listening();
    await expect.poll(async () => (await fetch(`${url}/proxy/health`)).status).toBe(200);
    const body = JSON.stringify({ context: { userId: "7" } }) + " ".repeat(800_000);
    const openStream = async (): Promise<void> => {
      const stream = request(`${url}/proxy/stream`, {
        method: "POST",
        agent: false,
        headers: { ...HEADERS, authorization: KEY, "content-length": Buffer.byteLength(body) },
      });
      onTestFinished(() => void stream.destroy());
      stream.end(body);
      const [response] = (await once(stream, "response")) as [IncomingMessage];
      expect(response.statusCode).toBe(200);
      response.on("error", () => undefined);
      await once(response, "data");
    };
    // oxlint-disable no-await-in-loop -- sequential, so that only open streams require memory
    for (let i = 0; i < 20; i++) await openStream();
    const beforeMiB = await residentMiB(command.pid);
    for (let i = 0; i < count; i++) await openStream();
    // oxlint-enable no-await-in-loop
    // The bodies would require 0.8 MB or more for each stream.
    expect((await residentMiB(command.pid)) - beforeMiB).toBeLessThan(0.5 * count);
  },
  // Sends up to 176 MB of JSON.
);
