import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findFreePorts } from "../../../scripts/free-ports.mjs";
import { readEvents } from "../../server-kit/test/_event-reader.ts";
import { createDirectory } from "./_access-file.ts";
import { type Command, eventually, startCommand, untilReady } from "./_command.ts";
import { startFeatureServer } from "./_feature-server.ts";
import { startSlowUpstream } from "./_slow-upstream.ts";
import { deliveredTo, KEY, send, toFlag, USAGE } from "./_workers.ts";

const REQUIRED = { FLAGS_API_TOKEN: "upstream-token", FLAGS_PROXY_CLIENT_KEYS: KEY };
const STREAM = {
  method: "POST",
  headers: { authorization: KEY, "content-type": "application/json", accept: "text/event-stream" },
  body: JSON.stringify({ context: {} }),
};

/** Requests a path on a new connection. */
async function statusOf(url: string): Promise<number> {
  const response = await fetch(url, { headers: { connection: "close" } });
  await response.text();
  return response.status;
}

test.each([
  ["one process", {}],
  ["workers", { FLAGS_PROXY_WORKERS: "2" }],
])(
  "after SIGTERM, %s is not ready at once, and still serves for SHUTDOWN_DELAY, with open streams",
  async (_title, environment) => {
    const upstream = await startFeatureServer({ features: [toFlag("on")] });
    const [port] = await findFreePorts(1);
    const command = startCommand({
      FLAGS_URL: upstream.url,
      ...REQUIRED,
      FLAGS_MANAGEMENT_PORT: String(port),
      FLAGS_METRICS_INTERVAL: "1000000",
      SHUTDOWN_DELAY: "4000",
      ...environment,
    });
    const url = await command.listening();
    const management = `http://127.0.0.1:${port}`;
    await untilReady(url);
    const report = async (): Promise<void> => {
      const response = await send(`${url}/proxy/client/metrics`, { body: USAGE });
      expect(response.status).toBe(200);
    };
    await report();
    const stream = await readEvents(`${url}/proxy/stream`, STREAM);
    await stream.next();
    let hasEnded = false;
    void stream.ended.then(() => (hasEnded = true));

    command.signal("SIGTERM");
    await eventually(() => statusOf(`${url}/ready`)).toBe(503);
    expect(await statusOf(`${management}/ready`)).toBe(503);
    expect(await statusOf(`${management}/internal-backstage/ready`)).toBe(503);
    for (const path of ["/live", "/proxy/health"]) {
      expect(await statusOf(`${url}${path}`)).toBe(200);
      expect(await statusOf(`${management}${path}`)).toBe(200);
    }
    const response = await fetch(`${url}/proxy`, { headers: { authorization: KEY } });
    expect(response.headers.get("connection")).toBe("close");
    expect(await response.text()).toContain('"on"');
    await report();
    expect(hasEnded).toBe(false);

    const { code, stderr } = await command.finished();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await stream.ended;
    expect(stream.retries).toHaveLength(2);
    expect(deliveredTo(upstream)).toBe(2);
  },
);

const MAX_STOP_MS = 10_000;

interface HangingProxy {
  readonly command: Command;
  readonly spool: string;
}

/** Starts a proxy whose upstream and collector hang, with usage to deliver and a request that never ends. */
async function startHanging(environment: Record<string, string>): Promise<HangingProxy> {
  const upstream = await startSlowUpstream({ delayMs: 60_000 });
  const collector = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void collector.close());
  await once(collector, "listening");
  const spool = join(await createDirectory(), "spool");
  const command = startCommand({
    FLAGS_URL: upstream.url,
    ...REQUIRED,
    FLAGS_METRICS_INTERVAL: "1000000",
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    FLAGS_USAGE_SPOOL: spool,
    // An empty variable is not set.
    SHUTDOWN_DELAY: "",
    ...environment,
  });
  const url = await command.listening();
  await untilReady(url);
  await send(`${url}/proxy/client/metrics`, { body: USAGE });
  const client = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void client.destroy());
  client.on("error", () => {});
  client.write(
    `POST /proxy HTTP/1.1\r\nHost: x\r\nAuthorization: ${KEY}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
  );
  await once(client, "connect");
  return { command, spool };
}

test("with the default delay, the proxy stops within 10 s with exit code 0 and keeps acknowledged usage, although clients, upstream and collector hang", async () => {
  const proxies = await Promise.all(
    [{}, { FLAGS_PROXY_WORKERS: "2" }].map((environment) => startHanging(environment)),
  );
  const stop = async ({ command }: HangingProxy) => {
    const startMs = performance.now();
    command.signal("SIGTERM");
    const { code } = await command.finished();
    return { code, elapsedMs: performance.now() - startMs };
  };
  for (const { code, elapsedMs } of await Promise.all(proxies.map(stop))) {
    expect(code).toBe(0);
    expect(elapsedMs).toBeGreaterThan(5000);
    expect(elapsedMs).toBeLessThan(MAX_STOP_MS);
  }
  const upstream = await startFeatureServer({ features: [toFlag("on")] });
  for (const { spool } of proxies) {
    startCommand({ FLAGS_URL: upstream.url, ...REQUIRED, FLAGS_USAGE_SPOOL: spool });
  }
  await eventually(() => deliveredTo(upstream)).toBe(2);
});
