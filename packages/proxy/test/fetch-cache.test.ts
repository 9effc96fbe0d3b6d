// Caches of the proxy for runtimes without servers: what isolates share, and what they never do.

import { expect, onTestFinished, test, vi } from "vitest";
import type { CachedFlags, FlagCache } from "../src/fetch/index.ts";
import { startControlledUpstream } from "./_controlled-upstream.ts";
import { flag } from "./_documents.ts";
import { Isolate } from "./_fetch-app.ts";

const INTERVAL_MS = 15_000;

const one = (name: string) => ({ version: 2, features: [flag(name)] });

function replaceClocks(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => void vi.advanceTimersByTime(ms);
}

/** A cache as a user could write it, which counts calls. */
class MapCache implements FlagCache {
  readonly entries = new Map<string, CachedFlags>();
  readonly calls: string[] = [];
  readonly confirmIntervalMs: number;

  constructor(confirmIntervalMs = 0) {
    this.confirmIntervalMs = confirmIntervalMs;
  }

  async get(key: string): Promise<CachedFlags | undefined> {
    this.calls.push("get");
    return this.entries.get(key);
  }

  async put(key: string, flags: CachedFlags): Promise<void> {
    this.calls.push("put");
    this.entries.set(key, flags);
  }

  /** The only entry. */
  get only(): readonly [key: string, flags: CachedFlags] {
    const [[entry], ...others] = [[...this.entries]];
    if (entry === undefined || others.length > 0) throw new Error("There is not one entry");
    return entry;
  }
}

test("a new isolate starts from the cache while the upstream is down, with the age of its flags", async () => {
  const advance = replaceClocks();
  const upstream = await startControlledUpstream(one("kept"));
  const cache = new MapCache();
  const first = new Isolate(upstream, { cache });
  await first.names();
  await first.settled();
  upstream.failure = 503;
  advance(3_600_000);
  const second = new Isolate(upstream, { cache, ageHeader: true });
  const response = await second.request("/proxy");
  expect(await response.text()).toContain("kept");
  expect(response.headers.get("x-flags-age-seconds")).toBe("3600");
  expect((await second.request("/ready")).status).toBe(200);
});

test("with maxStaleness, flags in the cache that are too old are served only if the upstream fails", async () => {
  const advance = replaceClocks();
  const upstream = await startControlledUpstream(one("old"));
  const cache = new MapCache();
  const first = new Isolate(upstream, { cache });
  await first.names();
  await first.settled();
  advance(3_600_000);
  upstream.document = one("new");
  const options = { cache, maxStaleness: 60_000 };
  expect(await new Isolate(upstream, options).names()).toEqual(["new"]);
  upstream.failure = 503;
  advance(3_600_000);
  const late = new Isolate(upstream, options);
  expect(await late.names()).toEqual(["new"]);
  expect((await late.request("/ready")).status).toBe(503);
});

test("isolates that share a cache share the requests to the upstream, and its ETag", async () => {
  const advance = replaceClocks();
  const upstream = await startControlledUpstream(one("first"));
  const cache = new MapCache();
  const isolates = Array.from({ length: 5 }, () => new Isolate(upstream, { cache }));
  const requestAll = async () => {
    const names = [];
    for (const isolate of isolates) {
      names.push(...(await isolate.names()));
      await isolate.settled();
    }
    return names;
  };
  expect(await requestAll()).toEqual(Array.from({ length: 5 }, () => "first"));
  expect(upstream.statuses).toEqual([200]);
  advance(INTERVAL_MS + 2000);
  await requestAll();
  expect(upstream.statuses).toEqual([200, 304]);
  advance(INTERVAL_MS + 2000);
  upstream.document = one("second");
  await requestAll();
  expect(await requestAll()).toEqual(Array.from({ length: 5 }, () => "second"));
  expect(upstream.statuses).toEqual([200, 304, 200]);
});

test("flags in the cache that are older than those in memory are not used, and are replaced", async () => {
  const advance = replaceClocks();
  const upstream = await startControlledUpstream(one("old"));
  const cache = new MapCache();
  const isolate = new Isolate(upstream, { cache });
  await isolate.names();
  await isolate.settled();
  const [key, old] = cache.only;
  advance(INTERVAL_MS);
  upstream.document = one("new");
  await isolate.names();
  await isolate.settled();
  // As a cache that is not consistent everywhere may do.
  cache.entries.set(key, old);
  upstream.failure = 503;
  advance(INTERVAL_MS);
  await isolate.names();
  await isolate.settled();
  expect(await isolate.names()).toEqual(["new"]);
  upstream.failure = undefined;
  advance(600_000);
  await isolate.names();
  await isolate.settled();
  expect(cache.only[1].text).toContain("new");
});

test("flags that another isolate has put meanwhile are not replaced by older ones", async () => {
  const advance = replaceClocks();
  const upstream = await startControlledUpstream(one("old"));
  const cache = new MapCache();
  const isolate = new Isolate(upstream, { cache });
  await isolate.names();
  await isolate.settled();
  const [key] = cache.only;
  advance(INTERVAL_MS);
  const { waiting, release } = upstream.hold();
  await isolate.names();
  await waiting(1);
  advance(5000);
  const newer = { text: JSON.stringify(one("new")), etag: '"new"', at: Date.now() + 5000 };
  cache.entries.set(key, newer);
  release();
  await isolate.settled();
  expect(cache.only[1]).toBe(newer);
  advance(INTERVAL_MS);
  await isolate.names();
  await isolate.settled();
  expect(await isolate.names()).toEqual(["new"]);
});

test("a cache whose writes are expensive is read by new isolates, and written after changes and confirmations", async () => {
  const advance = replaceClocks();
  const upstream = await startControlledUpstream(one("first"));
  const cache = new MapCache(3_600_000);
  const isolate = new Isolate(upstream, { cache });
  const refresh = async () => {
    advance(INTERVAL_MS);
    await isolate.names();
    await isolate.settled();
    return cache.calls.splice(0);
  };
  expect(await refresh()).toEqual(["get", "get", "put"]);
  expect(await refresh()).toEqual([]);
  expect(await refresh()).toEqual([]);
  upstream.document = one("second");
  expect(await refresh()).toEqual(["get", "put"]);
  expect(await refresh()).toEqual([]);
  advance(3_600_000);
  expect(await refresh()).toEqual(["get", "put"]);
  expect(await refresh()).toEqual([]);
});

test.each<[what: string, get: () => Promise<unknown>]>([
  ["fails", () => Promise.reject(new Error("The quota is exceeded"))],
  ["returns something else", () => Promise.resolve({ text: 7 })],
  ["returns no flags", () => Promise.resolve({ text: "{}", at: 0 })],
  ["returns no JSON", () => Promise.resolve({ text: "<html>", at: 0 })],
  [
    "returns flags of the future",
    () => Promise.resolve({ text: JSON.stringify(one("future")), at: Date.now() + 1e9 }),
  ],
])("a cache that %s does not matter", async (_, get) => {
  const upstream = await startControlledUpstream(one("right"));
  const cache = { get: get as FlagCache["get"], put: () => Promise.reject(new Error("read-only")) };
  const isolate = new Isolate(upstream, { cache });
  expect(await isolate.names()).toEqual(["right"]);
  await isolate.settled();
  expect(isolate.logged.length).toBeLessThanOrEqual(2);
});

test("a cache that does not respond is not waited for", async () => {
  const upstream = await startControlledUpstream(one("right"));
  const never = () => new Promise<never>(() => undefined);
  const isolate = new Isolate(upstream, { cache: { get: never, put: never } });
  expect(await isolate.names()).toEqual(["right"]);
});

test("a cache may be synchronous", async () => {
  const entries = new Map<string, CachedFlags>();
  const cache = {
    get: (key: string) => entries.get(key),
    put: (key: string, flags: CachedFlags) => entries.set(key, flags),
  } as unknown as FlagCache;
  const isolate = new Isolate(await startControlledUpstream(one("right")), { cache });
  expect(await isolate.names()).toEqual(["right"]);
  await isolate.settled();
  expect([entries.size, isolate.logged]).toEqual([1, []]);
});

test("programs with other tokens, upstreams and selections share no flags", async () => {
  const upstream = await startControlledUpstream(one("of-the-first"));
  const cache = new MapCache();
  const first = new Isolate(upstream, { cache });
  await first.names();
  await first.settled();
  for (const options of [
    { flagsApiToken: "default:production.another-token" },
    { namePrefix: "checkout." },
    { projectName: "default" },
    { tags: "team:a" },
  ]) {
    const other = new Isolate(upstream, { cache, ...options });
    await other.names();
    await other.settled();
  }
  expect(upstream.statuses).toEqual([200, 200, 200, 200, 200]);
  expect(cache.entries.size).toBe(5);
  for (const key of cache.entries.keys()) {
    expect(key).toMatch(/^flags-proxy\/v1\/\w+$/);
    expect(key).not.toContain("token");
  }
});

test("an upstream that has lost its flags does not empty the cache", async () => {
  const advance = replaceClocks();
  const upstream = await startControlledUpstream(one("kept"));
  const cache = new MapCache();
  const isolate = new Isolate(upstream, { cache });
  await isolate.names();
  await isolate.settled();
  upstream.document = { version: 2, features: [] };
  advance(INTERVAL_MS);
  await isolate.names();
  await isolate.settled();
  expect(await isolate.names()).toEqual(["kept"]);
  expect(cache.only[1].text).toContain("kept");
});
