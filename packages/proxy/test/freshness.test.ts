import { describe, expect, test } from "vitest";
import { toSource } from "../src/sources/sources.ts";
import { startCommand, untilReady } from "./_command.ts";
import { SAMPLE } from "./_documents.ts";
import { KEY, errorOf, proxyConfig, SERVER_TOKEN, startProxy, startProxyOf } from "./_proxy.ts";
import { startRecordingUpstream } from "./_recording-upstream.ts";
import { furtherPort, send, startServed } from "./_served.ts";
import { DocumentSource } from "./_source.ts";

const MAX_STALENESS_MS = 60_000;

/** A source whose flags were confirmed some milliseconds ago; undefined: never. */
function sourceOf(ageMs: number | undefined): DocumentSource {
  const source = new DocumentSource(SAMPLE);
  source.lastFetchAtMs = undefined;
  source.confirmedAtMs = ageMs === undefined ? undefined : performance.now() - ageMs;
  return source;
}

const startAged = (...ages: readonly (number | undefined)[]) =>
  startProxyOf(
    ages.map((age, index) =>
      toSource(sourceOf(age), {
        name: `env-${index}`,
        scope: { project: "*", environment: `env-${index}` },
      }),
    ),
    { config: { maxStalenessMs: MAX_STALENESS_MS, clientKeys: [], serverTokens: [] } },
  );

describe("GET /live", () => {
  test("/live succeeds without a key, before there are flags", async () => {
    const { url } = await startProxy({ source: new DocumentSource() });
    const response = await fetch(`${url}/live`);
    expect([response.status, await response.json()]).toEqual([200, { status: "ok" }]);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });
});

describe("GET /ready", () => {
  test("/ready succeeds without a key as soon as there are flags, below the base path", async () => {
    const source = new DocumentSource();
    const { url } = await startProxy({ source, config: { basePath: "/base" } });
    const waiting = await fetch(`${url}/base/ready`);
    expect(waiting.status).toBe(503);
    expect((await errorOf(waiting)).error).toMatch(/not synchronized/);
    source.replace(SAMPLE);
    const response = await fetch(`${url}/base/ready`);
    expect([response.status, await response.json()]).toEqual([200, { status: "ok" }]);
  });

  test("/ready succeeds by default, however old the flags are", async () => {
    const { url } = await startProxy({ source: sourceOf(1e9) });
    expect((await fetch(`${url}/ready`)).status).toBe(200);
  });

  test("/ready with FLAGS_MAX_STALENESS states the age of flags that are too old, which are still served", async () => {
    const source = sourceOf(95_000);
    const { url, request } = await startProxy({
      source,
      config: { maxStalenessMs: MAX_STALENESS_MS },
    });
    const response = await fetch(`${url}/ready`);
    expect(response.status).toBe(503);
    expect((await errorOf(response)).error).toMatch(
      /^The flags were last confirmed \d{2,} s ago, and FLAGS_MAX_STALENESS allows 60 s: check the upstream$/,
    );
    expect((await request("/proxy")).status).toBe(200);
    expect((await request("/proxy/health")).status).toBe(200);
    source.isLive = true;
    expect((await fetch(`${url}/ready`)).status).toBe(200);
  });

  test("/ready with FLAGS_MAX_STALENESS fails with flags that were never confirmed", async () => {
    const { url } = await startAged(undefined);
    const response = await fetch(`${url}/ready`);
    expect(response.status).toBe(503);
    expect((await errorOf(response)).error).toMatch(/have not been confirmed since the start/);
  });

  test("one stale environment does not prevent the others from being served", async () => {
    const { url } = await startAged(95_000, 1000);
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    const stale = await startAged(95_000_000, 70_000, undefined);
    const response = await fetch(`${stale.url}/ready`);
    expect((await errorOf(response)).error).toMatch(/^The flags were last confirmed \d{2,3} s ago/);
  });
});

interface Status {
  readonly ready: boolean;
  readonly sources: readonly Readonly<Record<string, unknown>>[];
  readonly keys?: object;
}

describe("GET /status", () => {
  test("/status on the management port requires no key, and describes every source and the keys", async () => {
    const source = sourceOf(1500);
    source.origin = "upstream";
    const served = await startServed(
      { management: { port: 0, host: "127.0.0.1" } },
      { maxStalenessMs: 1000 },
      source,
    );
    source.emit("error", new Error(`The upstream rejects the token upstream-token`));
    const response = await send(`http://127.0.0.1:${furtherPort(served)}/status`);
    expect(response.status).toBe(200);
    const status = JSON.parse(response.body) as Status;
    expect(status).toMatchObject({
      ready: false,
      sources: [
        {
          name: "default",
          origin: "upstream",
          live: false,
          stale: true,
          flags: SAMPLE.features.length,
          segments: SAMPLE.segments?.length ?? 0,
          revision: source.snapshot?.revision,
          lastCheck: null,
          lastUpdate: new Date(source.lastUpdateAtMs ?? 0).toISOString(),
          lastError: { message: "The upstream rejects the token [redacted]" },
        },
      ],
      keys: { clientKeys: 2, serverTokens: 1, accessFile: null, verifiedKeys: null },
    });
    expect(status.sources[0]?.["ageSeconds"]).toBeGreaterThanOrEqual(1.5);
  });

  test("/status on the main port requires a server token, and describes only its source", async () => {
    const { url, request } = await startProxy({ source: new DocumentSource() });
    expect((await fetch(`${url}/status`)).status).toBe(401);
    expect((await request("/status")).status).toBe(401);
    const response = await request("/status", { headers: { authorization: SERVER_TOKEN } });
    const status = (await response.json()) as Status;
    expect(status).toMatchObject({
      ready: false,
      sources: [{ name: "default", origin: null, ageSeconds: null, flags: 0, lastError: null }],
    });
    expect(status.keys).toBeUndefined();
  });
});

describe("X-Flags-Age-Seconds", () => {
  test("the age is sent, also with a 304, and exposed to scripts", async () => {
    const { request, post } = await startProxy({
      source: sourceOf(95_500),
      config: {
        ageHeader: true,
        cors: { ...proxyConfig().cors, exposedHeaders: ["ETag", "X-Flags-Age-Seconds"] },
      },
    });
    const response = await request("/proxy?userId=1");
    expect(response.headers.get("x-flags-age-seconds")).toMatch(/^(?:9\d|[1-9]\d\d)$/);
    expect(response.headers.get("access-control-expose-headers")).toContain("X-Flags-Age-Seconds");
    const etag = response.headers.get("etag") ?? "";
    const unchanged = await request("/proxy?userId=1", { headers: { "if-none-match": etag } });
    expect(unchanged.status).toBe(304);
    expect(unchanged.headers.get("x-flags-age-seconds")).toMatch(/^(?:9\d|[1-9]\d\d)$/);
    const posted = await post("/proxy", { context: { userId: "1" } });
    expect(posted.headers.get("x-flags-age-seconds")).toMatch(/^(?:9\d|[1-9]\d\d)$/);
  });

  test("the age is not sent by default, nor for flags that were never confirmed", async () => {
    const off = await startProxy({ source: sourceOf(1000) });
    expect((await off.request("/proxy")).headers.has("x-flags-age-seconds")).toBe(false);
    const unknown = await startProxy({ source: sourceOf(undefined), config: { ageHeader: true } });
    expect((await unknown.request("/proxy")).headers.has("x-flags-age-seconds")).toBe(false);
  });
});

test("with workers, ages and errors come from the primary process", async () => {
  const upstream = await startRecordingUpstream();
  const command = startCommand({
    FLAGS_URL: upstream.url,
    FLAGS_API_TOKEN: "upstream-token",
    FLAGS_PROXY_CLIENT_KEYS: KEY,
    EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: SERVER_TOKEN,
    FLAGS_FETCH_INTERVAL: "50",
    FLAGS_MAX_STALENESS: "400",
    FLAGS_AGE_HEADER: "true",
    FLAGS_PROXY_WORKERS: "2",
  });
  const url = await command.listening();
  await untilReady(url);
  const headers = { authorization: SERVER_TOKEN };
  const statusOf = async () => (await (await fetch(`${url}/status`, { headers })).json()) as Status;
  expect((await statusOf()).sources).toMatchObject([{ origin: "upstream", lastError: null }]);
  upstream.redirectTo("http://127.0.0.1:1");
  await expect.poll(statusOf).toMatchObject({
    ready: false,
    sources: [{ stale: true, lastError: { message: expect.stringMatching(/redirect/) as string } }],
  });
  const response = await fetch(`${url}/proxy`, { headers: { authorization: KEY } });
  expect(response.status).toBe(200);
  expect(response.headers.get("x-flags-age-seconds")).toMatch(/^\d+$/);
});
