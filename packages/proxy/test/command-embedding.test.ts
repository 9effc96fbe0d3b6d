import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ProxyOptions } from "../src/config/options.ts";
import { createApp, type RunningProxy, start } from "../src/start/start.ts";
import { startRecordingUpstream } from "./_recording-upstream.ts";
import { DocumentSource } from "./_source.ts";

const nothing = (): void => {};
const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

const OPTIONS: ProxyOptions = {
  flagsUrl: "http://flags.invalid/api",
  flagsApiToken: "upstream-token",
  clientKeys: ["client-key"],
  logger,
};
const AUTHORIZED = { headers: { authorization: "client-key" } };

async function startProxy(options: ProxyOptions, client?: DocumentSource): Promise<RunningProxy> {
  const proxy = await start({ port: 0, host: "127.0.0.1", ...OPTIONS, ...options }, client);
  onTestFinished(() => proxy.close());
  return proxy;
}

const newSource = (): DocumentSource =>
  new DocumentSource({
    features: [{ name: "on", enabled: true, strategies: [{ name: "default" }] }],
  });

describe("start()", () => {
  test("start() serves at its url and returns its port", async () => {
    const { url, port } = await startProxy({ proxyBasePath: "base" }, newSource());
    expect(url).toBe(`http://127.0.0.1:${port}/base`);
    const response = await fetch(`${url}/proxy`, AUTHORIZED);
    expect(await response.json()).toMatchObject({ toggles: [{ name: "on" }] });
  });

  test("creates a client, and sends the last metrics when it closes", async () => {
    const upstream = await startRecordingUpstream();
    const proxy = await startProxy({ flagsUrl: upstream.url });
    await upstream.first("/api/client/features");
    await expect.poll(async () => (await fetch(`${proxy.url}/proxy/health`)).status).toBe(200);
    const bucket = { start: new Date(0), stop: new Date(), toggles: { on: { yes: 1, no: 0 } } };
    await fetch(`${proxy.url}/proxy/client/metrics`, {
      method: "POST",
      headers: { ...AUTHORIZED.headers, "content-type": "application/json" },
      body: JSON.stringify({ appName: "web", instanceId: "1", bucket }),
    });
    await Promise.all([proxy.close(), proxy.close()]);
    expect(upstream.requests.map(({ path }) => path)).toContain("/api/client/metrics");
  });

  test("the proxy closes at the end of `await using`", async () => {
    const proxy = await startProxy({}, newSource());
    await proxy[Symbol.asyncDispose]();
    await expect(fetch(`${proxy.url}/proxy/health`)).rejects.toThrow();
  });

  test("listens on all addresses of both families if host is not set", async () => {
    const { host: _, ...options } = { ...OPTIONS, host: undefined, port: 0 };
    const proxy = await start(options, newSource());
    onTestFinished(() => proxy.close());
    expect(proxy.url).toBe(`http://localhost:${proxy.port}`);
    expect((await fetch(`http://127.0.0.1:${proxy.port}/proxy/health`)).status).toBe(200);
  });

  test("rejects with the error of the system if the port is in use", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await expect(startProxy({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  test("rejects with every problem of the configuration", async () => {
    await expect(start({ port: -1 })).rejects.toMatchObject({
      code: "FLAGS_CONFIG",
      problems: expect.arrayContaining([expect.stringContaining("Option port")]) as unknown,
    });
  });
});

describe("createApp()", () => {
  test("starts the client that it was passed, but does not close it", async () => {
    const calls: string[] = [];
    class Source extends DocumentSource {
      override start(): void {
        calls.push("start");
        super.start();
      }
      override close(): Promise<void> {
        calls.push("close");
        return super.close();
      }
    }
    const app = createApp(OPTIONS, new Source({ features: [] }));
    const response = await app.fetch(new Request("http://proxy/proxy", AUTHORIZED));
    expect(await response.json()).toEqual({ toggles: [] });
    await app.close();
    expect(calls).toEqual(["start"]);
  });

  test("closes the client that it created", async () => {
    const upstream = await startRecordingUpstream();
    const otherUpstream = await startRecordingUpstream();
    const app = createApp({ ...OPTIONS, flagsUrl: upstream.url, refreshInterval: 10 });
    await upstream.first("/api/client/features");
    await app.close();
    const countPolls = (): number =>
      upstream.requests.filter(({ path }) => path === "/api/client/features").length;
    const polls = countPolls();
    // In the meantime, a client that still polls would send about as many requests as this one.
    const other = createApp({ ...OPTIONS, flagsUrl: otherUpstream.url, refreshInterval: 10 });
    onTestFinished(() => other.close());
    await expect.poll(() => otherUpstream.requests.length).toBeGreaterThan(10);
    // One request may have been in progress when the app was closed.
    expect(countPolls()).toBeLessThanOrEqual(polls + 1);
  });

  test("starts no workers, and logs that FLAGS_PROXY_WORKERS has no effect", async () => {
    const lines: string[] = [];
    vi.stubEnv("FLAGS_PROXY_WORKERS", "2");
    onTestFinished(() => void vi.unstubAllEnvs());
    const warn = (message: unknown): void => void lines.push(String(message));
    const app = createApp({ ...OPTIONS, logger: { ...logger, warn } }, newSource());
    onTestFinished(() => app.close());
    expect((await app.fetch(new Request("http://proxy/proxy", AUTHORIZED))).status).toBe(200);
    expect(lines).toEqual([
      "FLAGS_PROXY_WORKERS has no effect here: only the command flags-proxy starts workers",
    ]);
    await expect(createApp({ ...OPTIONS, workers: 2 } as ProxyOptions).ready).rejects.toMatchObject(
      {
        problems: ["Option workers does not exist"],
      },
    );
  });

  test("logs warnings and errors of the client", async () => {
    const lines: string[] = [];
    const source = newSource();
    const warn = (message: unknown): void => void lines.push(String(message));
    const app = createApp({ ...OPTIONS, logger: { ...logger, warn, error: warn } }, source);
    onTestFinished(() => app.close());
    await app.ready;
    source.emit("warn", "Odd: upstream-token");
    source.emit("error", new Error("Broken: client-key"));
    expect(lines).toEqual(["Odd: [redacted]", "Error: Broken: [redacted]"]);
  });
});
