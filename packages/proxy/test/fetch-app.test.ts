// The proxy for runtimes without servers: the same responses as on Node, flags without timers, usage after responses.

import { expect, onTestFinished, test, vi } from "vitest";
import { createFetchApp, denoKv, type FetchAppOptions, workersKv } from "../src/fetch/index.ts";
import { createApp } from "../src/index.ts";
import { startControlledUpstream } from "./_controlled-upstream.ts";
import { flag, SAMPLE } from "./_documents.ts";
import { Isolate } from "./_fetch-app.ts";
import { DOCUMENT } from "./_flag-requests.ts";
import { KEY, OTHER_KEY } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

/** The default of `refreshInterval`. */
const INTERVAL_MS = 15_000;

const one = (name: string) => ({ version: 2, features: [flag(name)] });

/** Replaces the clocks, but no timers. Returns a function that advances them. */
function replaceClocks(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => void vi.advanceTimersByTime(ms);
}

interface Init {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const JSON_HEADERS = { "content-type": "application/json" };
const REQUESTS: readonly (readonly [path: string, init: Init])[] = [
  ["/proxy?userId=7&properties[plan]=pro", {}],
  ["/proxy?userId=7&toggles=off&toggles=unknown", {}],
  ["/proxy/all?userId=7", {}],
  ["/proxy", { method: "POST", body: '{"context":{"userId":"7"},"toggles":["colour"]}' }],
  ["/proxy", { method: "POST", body: "{" }],
  ["/proxy", { headers: { authorization: "wrong" } }],
  ["/proxy", { headers: { authorization: "" } }],
  ["/proxy", { method: "DELETE" }],
  ["/proxy?userId=7", { method: "HEAD" }],
  ["/proxy", { method: "OPTIONS", headers: { origin: "https://a.example" } }],
  ["/proxy?userId=7", { headers: { origin: "https://a.example", "accept-encoding": "gzip" } }],
  ["/api/frontend?userId=7", {}],
  ["/api/frontend/all?userId=7", {}],
  ["/api/frontend", { method: "POST", body: '{"context":{"userId":"7"}}' }],
  ["/api/frontend/features/colour?userId=7", {}],
  ["/ofrep/v1/evaluate/flags", { method: "POST", body: '{"context":{"targetingKey":"7"}}' }],
  ["/ofrep/v1/evaluate/flags/colour", { method: "POST", body: '{"context":{"userId":"7"}}' }],
  ["/ofrep/v1/evaluate/flags/unknown", { method: "POST", body: '{"context":{"userId":"7"}}' }],
  ["/ofrep/v1/evaluate/flags", { method: "POST", body: "[]" }],
  ["/proxy/health", {}],
  ["/live", {}],
  ["/ready", {}],
  ["/nothing", {}],
];

test("responds as on Node", async () => {
  const document = { version: 2, ...DOCUMENT };
  const isolate = new Isolate(await startControlledUpstream(document), { enableAllEndpoint: true });
  const node = createApp(
    {
      flagsUrl: "http://127.0.0.1:1/api",
      flagsApiToken: "default:production.upstream-token",
      clientKeys: [KEY, OTHER_KEY],
      enableAllEndpoint: true,
      logger: isolate.logger,
    },
    new DocumentSource(document),
  );
  onTestFinished(() => node.close());
  for (const [path, init] of REQUESTS) {
    const headers = { authorization: KEY, ...(init.body && JSON_HEADERS), ...init.headers };
    const request = () => new Request(`http://edge.example${path}`, { ...init, headers });
    const expected = await node.fetch(request(), { address: "10.1.1.1" });
    const actual = await isolate.app.fetch(request(), { address: "10.1.1.1" });
    const name = `${init.method ?? "GET"} ${path}`;
    expect([name, actual.status]).toEqual([name, expected.status]);
    expect([name, [...actual.headers]]).toEqual([name, [...expected.headers]]);
    expect([name, await actual.text()]).toEqual([name, await expected.text()]);
    const etag = expected.headers.get("etag");
    if (etag === null) continue;
    const again = new Request(request(), { headers: { ...headers, "if-none-match": etag } });
    expect((await isolate.app.fetch(again, { address: "10.1.1.1" })).status).toBe(304);
  }
});

test("has no streams and explanations, and advertises none", async () => {
  const isolate = new Isolate(await startControlledUpstream(SAMPLE), { enableAllEndpoint: true });
  for (const path of ["/proxy/stream", "/api/frontend/stream", "/proxy/explain"]) {
    const response = await isolate.post(path, { context: {} });
    expect([path, response.status]).toEqual([path, 501]);
    expect(await response.text()).toContain("use a proxy that runs as a server");
  }
  const bulk = await isolate.post("/ofrep/v1/evaluate/flags", { context: {} });
  expect(await bulk.json()).not.toHaveProperty("eventStreams");
});

test("100 concurrent requests to a new isolate cause one request to the upstream", async () => {
  const upstream = await startControlledUpstream(SAMPLE);
  const isolate = new Isolate(upstream);
  const all = await Promise.all(Array.from({ length: 100 }, () => isolate.names()));
  expect(new Set(all.map(String)).size).toBe(1);
  await isolate.settled();
  expect(upstream.statuses).toEqual([200]);
});

test("a load that the runtime has cut off with its request is started again", async () => {
  const advance = replaceClocks();
  const upstream = await startControlledUpstream(SAMPLE);
  const isolate = new Isolate(upstream);
  const { waiting, release } = upstream.hold();
  const first = isolate.request("/proxy");
  await waiting(1);
  // Longer than a load can take.
  advance(60_000);
  const second = isolate.names();
  await waiting(2);
  release();
  expect(await second).toContain("on");
  await first;
});

test("a request waits 5 s for flags at most", async () => {
  const upstream = await startControlledUpstream(SAMPLE);
  const isolate = new Isolate(upstream);
  const { waiting, release } = upstream.hold();
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const response = isolate.request("/proxy");
  await waiting(1);
  vi.advanceTimersByTime(5000);
  expect((await response).status).toBe(503);
  expect((await isolate.request("/live")).status).toBe(200);
  vi.useRealTimers();
  release();
  await isolate.settled();
  expect(await isolate.names()).toContain("on");
  expect(upstream.statuses).toEqual([200]);
});

test("flags that are due are refreshed after the response, with the ETag of the upstream", async () => {
  const advance = replaceClocks();
  const upstream = await startControlledUpstream(one("first"));
  const isolate = new Isolate(upstream);
  expect(await isolate.names()).toEqual(["first"]);
  await isolate.settled();
  advance(INTERVAL_MS);
  await isolate.names();
  await isolate.settled();
  expect(upstream.statuses).toEqual([200, 304]);

  advance(INTERVAL_MS);
  upstream.document = one("second");
  const { waiting, release } = upstream.hold();
  expect(await isolate.names()).toEqual(["first"]);
  await waiting(1);
  expect(await isolate.names()).toEqual(["first"]);
  release();
  await isolate.settled();
  expect(await isolate.names()).toEqual(["second"]);
  expect(upstream.statuses).toEqual([200, 304, 200]);
});

test("flags that are not due are not requested; with a refreshInterval of 0, never again", async () => {
  const advance = replaceClocks();
  const upstream = await startControlledUpstream(SAMPLE);
  const [standard, fixed] = [new Isolate(upstream), new Isolate(upstream, { refreshInterval: 0 })];
  for (const isolate of [standard, fixed]) await isolate.names();
  advance(INTERVAL_MS - 1);
  for (const isolate of [standard, fixed]) await isolate.names();
  for (const isolate of [standard, fixed]) await isolate.settled();
  expect(upstream.statuses).toEqual([200, 200]);
  advance(1);
  await standard.names();
  await standard.settled();
  expect(upstream.statuses).toEqual([200, 200, 304]);
  advance(1e9);
  await fixed.names();
  await fixed.settled();
  expect(upstream.statuses).toEqual([200, 200, 304]);
});

test.each([500, 401, 404])(
  "while the upstream responds with %i, requests get the last flags, and few reach it",
  async (status) => {
    const advance = replaceClocks();
    const upstream = await startControlledUpstream(one("kept"));
    const isolate = new Isolate(upstream);
    await isolate.names();
    await isolate.settled();
    upstream.failure = status;
    for (let second = 0; second < 60; second += 1) {
      advance(1000);
      expect(await isolate.names()).toEqual(["kept"]);
      await isolate.settled();
    }
    expect(upstream.statuses.length).toBeGreaterThan(1);
    expect(upstream.statuses.length).toBeLessThan(12);
    expect(isolate.logged.filter((line) => line.includes("failed"))).toHaveLength(1);
    expect(isolate.logged[0]).toContain(`responded with ${status}`);
    upstream.failure = undefined;
    upstream.document = one("new");
    advance(3_600_000);
    await isolate.names();
    await isolate.settled();
    expect(await isolate.names()).toEqual(["new"]);
  },
);

test("without flags, requests get a 503 until the upstream responds", async () => {
  const advance = replaceClocks();
  const upstream = await startControlledUpstream(SAMPLE);
  upstream.failure = 503;
  const isolate = new Isolate(upstream);
  await expect(isolate.app.flagsReady()).rejects.toThrow(/There are no flags: .*503/);
  for (const path of ["/proxy", "/ready", "/proxy/health"]) {
    expect([path, (await isolate.request(path)).status]).toEqual([path, 503]);
  }
  expect(() => isolate.app.evaluate({}, { key: KEY })).toThrow("flagsReady()");
  // They have not all asked the upstream.
  expect(upstream.statuses).toEqual([503]);
  upstream.failure = undefined;
  advance(60_000);
  await isolate.app.flagsReady();
  expect((await isolate.request("/ready")).status).toBe(200);
});

test("requests wait for a refresh of flags that are older than maxStaleness", async () => {
  const advance = replaceClocks();
  const upstream = await startControlledUpstream(one("first"));
  const isolate = new Isolate(upstream, { maxStaleness: 60_000, ageHeader: true });
  await isolate.names();
  upstream.document = one("second");
  advance(59_000);
  const old = await isolate.request("/proxy");
  expect(old.headers.get("x-flags-age-seconds")).toBe("59");
  await isolate.settled();
  upstream.document = one("third");
  advance(61_000);
  expect(await isolate.names()).toEqual(["third"]);
  upstream.failure = 500;
  advance(61_000);
  expect(await isolate.names()).toEqual(["third"]);
  expect((await isolate.request("/ready")).status).toBe(503);
});

test("requests wait only for the flags of their key", async () => {
  const upstream = await startControlledUpstream(SAMPLE);
  const isolate = new Isolate(upstream, {
    flagsApiToken: ["default:production.token-one", "default:staging.token-two"],
    clientKeys: ["default:production.client-key", "default:staging.client-key"],
  });
  const get = async (authorization: string) => {
    const response = await isolate.request("/proxy", { headers: { authorization } });
    return response.status;
  };
  const { waiting, release } = upstream.hold("token-two");
  // The time that a request waits never ends.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await get("default:production.client-key")).toBe(200);
  expect(await get("default:production.wrong-key")).toBe(401);
  const staging = get("default:staging.client-key");
  await waiting(1);
  expect(await get("default:production.client-key")).toBe(200);
  release();
  expect(await staging).toBe(200);
  expect(upstream.statuses).toEqual([200, 200]);
});

test("custom strategies and enrichers work", async () => {
  const upstream = await startControlledUpstream({
    version: 2,
    features: [flag("custom", { strategies: [{ name: "isAda", parameters: {} }] })],
  });
  const isolate = new Isolate(upstream, {
    customStrategies: [{ name: "isAda", isEnabled: (_, { userId }) => userId === "ada" }],
    expCustomEnrichers: [
      (context, { headers }) => ({ ...context, userId: headers["x-user"] as string }),
    ],
  });
  const response = await isolate.request("/proxy", { headers: { "x-user": "ada" } });
  expect(await response.text()).toContain("custom");
});

test("passes on the address that the runtime knows", async () => {
  const upstream = await startControlledUpstream({
    version: 2,
    features: [
      flag("here", {
        strategies: [{ name: "remoteAddress", parameters: { IPs: "192.0.2.0/24" } }],
      }),
    ],
  });
  const { app } = new Isolate(upstream);
  const request = (headers = {}) =>
    new Request("http://edge.example/proxy", { headers: { authorization: KEY, ...headers } });
  const isHere = async (response: Promise<Response>) => (await (await response).text()).length > 14;
  expect(await isHere(app.fetch(request()))).toBe(false);
  expect(await isHere(app.fetch(request(), { address: "192.0.2.1" }))).toBe(true);
  // Deno and Bun.
  expect(await isHere(app.fetch(request(), { remoteAddr: { hostname: "192.0.2.1" } }))).toBe(true);
  const address = { address: "127.0.0.1", family: "IPv4", port: 3000 };
  const server = { address, requestIP: () => ({ address: "192.0.2.1" }) };
  expect(await isHere(app.fetch(request(), server))).toBe(true);
  // Workers: elsewhere, clients can send the header.
  const forged = request({ "cf-connecting-ip": "192.0.2.1" });
  expect(await isHere(app.fetch(forged))).toBe(false);
  const onWorkers = Object.assign(request({ "cf-connecting-ip": "192.0.2.1" }), { cf: {} });
  expect(await isHere(app.fetch(onWorkers, {}, { waitUntil: () => undefined }))).toBe(true);
});

const COUNTS = (yes: number) => ({
  appName: "web",
  instanceId: "browser",
  bucket: {
    start: "2026-01-01T00:00:00.000Z",
    stop: "2026-01-01T00:01:00.000Z",
    toggles: { on: { yes, no: 0, variants: {} } },
  },
});

/** Returns how often a flag was on, as the upstream has counted it. */
function countAt({ posts }: { readonly posts: Map<string, unknown[]> }): number {
  const single = (posts.get("/api/client/metrics") ?? []) as ReturnType<typeof COUNTS>[];
  return single.reduce((sum, { bucket }) => sum + bucket.toggles.on.yes, 0);
}

test("usage reaches the upstream after responses, at most once per interval", async () => {
  const advance = replaceClocks();
  const upstream = await startControlledUpstream(SAMPLE);
  const isolate = new Isolate(upstream);
  for (let report = 0; report < 5; report += 1) {
    const response = await isolate.post("/proxy/client/metrics", COUNTS(10));
    expect(response.status).toBe(200);
    await isolate.settled();
  }
  expect(countAt(upstream)).toBe(10);
  advance(10_000);
  await isolate.names();
  await isolate.settled();
  expect(countAt(upstream)).toBe(50);
  expect(upstream.posts.get("/api/client/metrics")).toHaveLength(2);
});

test("usage that the upstream has not accepted is sent again", async () => {
  const advance = replaceClocks();
  const upstream = await startControlledUpstream(SAMPLE);
  const isolate = new Isolate(upstream);
  await isolate.names();
  upstream.failure = 503;
  await isolate.post("/api/frontend/client/metrics", COUNTS(7));
  await isolate.settled();
  expect(countAt(upstream)).toBe(0);
  upstream.failure = undefined;
  advance(600_000);
  await isolate.names();
  await isolate.settled();
  expect(countAt(upstream)).toBe(7);
});

test("with a metricsInterval of 0, usage is not reported", async () => {
  const upstream = await startControlledUpstream(SAMPLE);
  const isolate = new Isolate(upstream, { metricsInterval: 0 });
  expect((await isolate.post("/proxy/client/metrics", COUNTS(1))).status).toBe(200);
  await isolate.settled();
  expect(upstream.posts.size).toBe(0);
});

test("registrations of applications reach the upstream", async () => {
  const upstream = await startControlledUpstream(SAMPLE);
  const isolate = new Isolate(upstream);
  const registration = {
    appName: "web",
    instanceId: "browser",
    started: "2026-01-01T00:00:00.000Z",
    interval: 30,
    strategies: ["default"],
  };
  expect((await isolate.post("/proxy/client/register", registration)).status).toBe(200);
  await isolate.settled();
  expect(upstream.posts.get("/api/client/metrics/bulk")).toEqual([
    expect.objectContaining({ applications: [expect.objectContaining({ appName: "web" })] }),
  ]);
});

test("evaluate() returns what a request gets, counts what is read, and refreshes flags", async () => {
  const advance = replaceClocks();
  const upstream = await startControlledUpstream(SAMPLE);
  const isolate = new Isolate(upstream);
  const { app, waitUntil } = isolate;
  await app.flagsReady({ waitUntil });
  const flags = app.evaluate({ userId: "7", appName: "pages" }, { key: KEY, waitUntil });
  const response = await isolate.request("/proxy?userId=7&appName=pages");
  expect({ toggles: flags.bootstrap.toggles }).toEqual(await response.json());
  expect(flags.isEnabled("on")).toBe(true);
  upstream.document = one("second");
  await isolate.settled();
  advance(INTERVAL_MS);
  app.evaluate({}, { key: KEY, waitUntil });
  await isolate.settled();
  expect(app.evaluate({}, { key: KEY }).isEnabled("second")).toBe(true);
  expect(upstream.posts.get("/api/client/metrics")).toEqual([
    expect.objectContaining({
      appName: "pages",
      bucket: expect.objectContaining({ toggles: { on: { yes: 1, no: 0, variants: {} } } }),
    }),
  ]);
  expect(() => app.evaluate({})).toThrow("`key` is missing");
});

test("a waitUntil() that throws is logged once, and changes nothing", async () => {
  const upstream = await startControlledUpstream(SAMPLE);
  const isolate = new Isolate(upstream, { refreshInterval: 1 });
  const waitUntil = () => {
    throw new TypeError("Illegal invocation");
  };
  for (let count = 0; count < 3; count += 1) {
    const request = new Request("http://edge.example/proxy", { headers: { authorization: KEY } });
    expect((await isolate.app.fetch(request, { waitUntil })).status).toBe(200);
  }
  expect(isolate.logged).toEqual([expect.stringContaining("Illegal invocation")]);
});

test("a request that is none is an error that says so, and null is as good as nothing for the rest", async () => {
  const { app } = new Isolate(await startControlledUpstream(SAMPLE));
  const handle = app.fetch as (...given: readonly unknown[]) => Promise<Response>;
  for (const request of [undefined, "http://edge.example/live", { url: "/live", headers: {} }])
    await expect(handle(request)).rejects.toThrow("`request` must be a Request of the Fetch API");
  const live = new Request("http://edge.example/live");
  expect((await handle(live, null)).status).toBe(200);
  expect((await handle(live, null, null)).status).toBe(200);
});

test("workersKv() and denoKv() reject what they cannot use", () => {
  const kv = { getWithMetadata: () => undefined, put: () => undefined } as never;
  expect(() => workersKv(undefined as never)).toThrow(/^`namespace` must be .* `env\.FLAGS`/);
  for (const confirmInterval of [-1, Number.NaN, "3600000" as never])
    expect(() => workersKv(kv, { confirmInterval })).toThrow(/^`confirmInterval` must be /);
  expect(workersKv(kv, { confirmInterval: Infinity }).confirmIntervalMs).toBe(Infinity);
  // Without `await`.
  expect(() => denoKv(Promise.resolve() as never)).toThrow("`await Deno.openKv()`");
});

const VALID = {
  flagsUrl: "https://upstream.example/api",
  flagsApiToken: "default:production.upstream-token",
  clientKeys: "client-key-for-tests",
};
test.each<[options: object, message: string]>([
  [{}, "Option flagsUrl is required"],
  [{ ...VALID, flagsUrl: "file:///flags.json" }, "flagsUrl"],
  [{ ...VALID, port: 3000 }, "Option port does not exist"],
  [{ ...VALID, tls: { port: 1 } }, "Option tls does not exist"],
  [{ ...VALID, httpOptions: { caFile: "ca.pem" } }, "Option httpOptions.caFile does not exist"],
  [{ ...VALID, unleashUrl: "https://a.example" }, "did you mean flagsUrl?"],
  [{ ...VALID, refreshIntervall: 3 }, "refreshInterval"],
  [{ ...VALID, refreshInterval: -1 }, "refreshInterval"],
  [{ ...VALID, cache: {} }, "an object with the methods get, put: it does not have get, put"],
  [{ ...VALID, customStrategies: {} }, "customStrategies must be a list of strategies: "],
  [{ ...VALID, expCustomEnrichers: "a.js" }, "must be a list of functions: "],
  [{ ...VALID, customStrategies: ["./strategy.js"] }, "customStrategies"],
  [{ ...VALID, clientKeys: "default:staging.key" }, "Entry 1 of option clientKeys"],
])("createFetchApp(%j) throws an error that names the option", (options, message) => {
  expect(() => createFetchApp(options as FetchAppOptions)).toThrow(message);
});
