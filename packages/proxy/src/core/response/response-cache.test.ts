import fc from "fast-check";
import { compileSnapshot, parseDocument, type Snapshot } from "flags-engine";
import { expect, test } from "vitest";
import { toEntityTag } from "flags-sdk/neutral";
import { ResponseBody, toBinaryString } from "../http/response-body.ts";
import { fnv1a, RecentCounts, ResponseCache } from "./response-cache.ts";

const compile = (): Snapshot =>
  compileSnapshot(parseDocument({ version: 2, features: [] }), { now: () => 0, random: () => 0 });

const snapshot = compile();

function bodyOf(text: string): ResponseBody {
  return new ResponseBody(toBinaryString(text), toEntityTag(text));
}

function find(cache: ResponseCache, text: string, of = snapshot): ResponseBody | undefined {
  return cache.get(cache.keyOf(of, text));
}

interface Offer {
  readonly times?: number;
  readonly of?: Snapshot;
}

function offerOften(
  cache: ResponseCache,
  text: string,
  body: ResponseBody,
  { times = 10, of = snapshot }: Offer = {},
): void {
  for (let i = 0; i < times; i++) cache.offer(cache.keyOf(of, text), body);
}

test("get() returns the response to a frequent request, for its snapshot only", () => {
  const cache = new ResponseCache();
  const body = bodyOf("a");
  offerOften(cache, "/proxy?userId=1", body, { times: 1 });
  expect(find(cache, "/proxy?userId=1")).toBeUndefined();
  offerOften(cache, "/proxy?userId=1", body);
  expect(find(cache, "/proxy?userId=1")).toBe(body);
  expect(find(cache, "/proxy?userId=1", compile())).toBeUndefined();
});

test("get() distinguishes requests whose hashes collide", () => {
  const cache = new ResponseCache();
  // Both have the 32-bit FNV-1a hash 0x733113fe.
  const [one, other] = ["/proxy?userId=19848x", "/proxy?userId=1162592x"] as const;
  offerOften(cache, one, bodyOf("one"));
  expect(find(cache, other)).toBeUndefined();
  offerOften(cache, other, bodyOf("other"));
  expect(find(cache, one)?.toBuffer().toString()).toBe("one");
  expect(find(cache, other)?.toBuffer().toString()).toBe("other");
});

test("a full cache keeps frequent requests when many others arrive once or twice", () => {
  const cache = new ResponseCache(20_000);
  offerOften(cache, "hot", bodyOf("x".repeat(2000)), { times: 100 });
  for (let user = 0; user < 1000; user++) {
    offerOften(cache, `user-${user}`, bodyOf("y".repeat(2000)), { times: 4 });
    find(cache, "hot");
  }
  expect(find(cache, "hot")).toBeDefined();
});

test("the responses of all snapshots share one limit", () => {
  const cache = new ResponseCache(20_000);
  const snapshots = Array.from({ length: 50 }, compile);
  snapshots.forEach((of, index) => {
    offerOften(cache, `key-${index}`, bodyOf("x".repeat(2000)), { of, times: 10 * (index + 1) });
  });
  const cached = snapshots.filter((of, index) => find(cache, `key-${index}`, of) !== undefined);
  expect(cached.length).toBeGreaterThan(0);
  expect(cached.length * 3 * 2000).toBeLessThan(20_000);
});

test("retain() releases the responses of replaced snapshots, which would prevent caching new ones", () => {
  const cache = new ResponseCache(7000);
  const [replaced, next] = [compile(), compile()];
  offerOften(cache, "hot", bodyOf("x".repeat(2000)), { of: replaced, times: 100 });
  cache.retain([next]);
  expect(find(cache, "hot", replaced)).toBeUndefined();
  offerOften(cache, "hot", bodyOf("y".repeat(2000)), { of: next, times: 1 });
  expect(find(cache, "hot", next)).toBeDefined();
  cache.retain([next, replaced]);
  expect(find(cache, "hot", next)).toBeDefined();
});

test("a response larger than the cache is not cached", () => {
  const cache = new ResponseCache(1000);
  offerOften(cache, "a", bodyOf("x".repeat(1000)));
  expect(find(cache, "a")).toBeUndefined();
});

test("increment() never underestimates a recent count", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 2 }), { maxLength: 200 }), (texts) => {
      const recent = new RecentCounts();
      const counts = new Map<string, number>();
      for (const text of texts) {
        const count = (counts.get(text) ?? 0) + 1;
        counts.set(text, count);
        expect(recent.increment(fnv1a(text))).toBeGreaterThanOrEqual(count);
      }
    }),
  );
});

test("strings that occur once rarely seem to be frequent", () => {
  const recent = new RecentCounts();
  let overestimates = 0;
  for (let user = 0; user < 200_000; user++) {
    if (recent.increment(fnv1a(`/proxy?userId=user-${user}`)) > 2) overestimates += 1;
  }
  expect(overestimates).toBeLessThan(6000);
});

test("old occurrences count less and less", () => {
  const recent = new RecentCounts();
  const [old, other] = [fnv1a("old"), fnv1a("other")];
  for (let i = 0; i < 1000; i++) recent.increment(old);
  expect(recent.increment(old)).toBe(256);
  for (let i = 0; i < 10 * 8192; i++) recent.increment(other);
  expect(recent.increment(old)).toBeLessThan(10);
});
