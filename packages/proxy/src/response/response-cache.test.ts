import fc from "fast-check";
import { compileSnapshot, parseDocument, type Snapshot } from "flags-engine";
import { expect, test } from "vitest";
import { ResponseBody, toBinaryString, toEntityTag } from "./response-body.ts";
import { fnv1a, FrequencySketch, ResponseCache } from "./response-cache.ts";

const compile = (): Snapshot =>
  compileSnapshot(parseDocument({ version: 2, features: [] }), { now: () => 0, random: () => 0 });

const snapshot = compile();

function bodyOf(text: string): ResponseBody {
  return new ResponseBody(toBinaryString(text), toEntityTag(text));
}

function offerOften(cache: ResponseCache, key: string, body: ResponseBody, times = 10): void {
  for (let i = 0; i < times; i++) cache.offer(snapshot, key, body);
}

test("get() returns the response to a frequent request, for its snapshot only", () => {
  const cache = new ResponseCache();
  const body = bodyOf("a");
  cache.offer(snapshot, "/proxy?userId=1", body);
  expect(cache.get(snapshot, "/proxy?userId=1")).toBeUndefined();
  offerOften(cache, "/proxy?userId=1", body);
  expect(cache.get(snapshot, "/proxy?userId=1")).toBe(body);
  expect(cache.get(compile(), "/proxy?userId=1")).toBeUndefined();
});

test("get() distinguishes requests whose hashes collide", () => {
  const cache = new ResponseCache();
  // Both have the 32-bit FNV-1a hash 0x733113fe.
  const [one, other] = ["/proxy?userId=19848x", "/proxy?userId=1162592x"] as const;
  offerOften(cache, one, bodyOf("one"));
  expect(cache.get(snapshot, other)).toBeUndefined();
  offerOften(cache, other, bodyOf("other"));
  expect(cache.get(snapshot, one)?.toBuffer().toString()).toBe("one");
  expect(cache.get(snapshot, other)?.toBuffer().toString()).toBe("other");
});

test("a full cache keeps frequent requests when many others come once or twice", () => {
  const cache = new ResponseCache(20_000);
  offerOften(cache, "hot", bodyOf("x".repeat(2000)), 100);
  for (let user = 0; user < 1000; user++) {
    offerOften(cache, `user-${user}`, bodyOf("y".repeat(2000)), 4);
    cache.get(snapshot, "hot");
  }
  expect(cache.get(snapshot, "hot")).toBeDefined();
});

test("a response larger than the cache is not cached", () => {
  const cache = new ResponseCache(1000);
  offerOften(cache, "a", bodyOf("x".repeat(1000)));
  expect(cache.get(snapshot, "a")).toBeUndefined();
});

test("a full cache is not churned by a population that is larger than the cache", () => {
  const cache = new ResponseCache(20_000);
  const users = Array.from({ length: 1000 }, (_, user) => `/proxy?userId=${user}`);
  const bodies = new Map(users.map((user) => [user, bodyOf(user.padEnd(2000))]));
  const cachedUsers = () => users.filter((user) => cache.get(snapshot, user) !== undefined);
  const round = (): void => {
    for (const [user, body] of bodies) {
      if (cache.get(snapshot, user) === undefined) cache.offer(snapshot, user, body);
    }
  };
  for (let i = 0; i < 3; i++) round();
  const before = cachedUsers();
  expect(before.length).toBeGreaterThan(0);
  round();
  expect(cachedUsers()).toEqual(before);
});

test("increment() never underestimates a recent count", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 2 }), { maxLength: 200 }), (texts) => {
      const sketch = new FrequencySketch();
      const counts = new Map<string, number>();
      for (const text of texts) {
        const count = (counts.get(text) ?? 0) + 1;
        counts.set(text, count);
        expect(sketch.increment(fnv1a(text))).toBeGreaterThanOrEqual(count);
        expect(sketch.estimate(fnv1a(text))).toBeGreaterThanOrEqual(count);
      }
    }),
  );
});

test("estimates of texts that occur once are rarely too high", () => {
  const sketch = new FrequencySketch();
  let overestimates = 0;
  for (let user = 0; user < 20_000; user++) {
    if (sketch.increment(fnv1a(`/proxy?userId=user-${user}`)) > 2) overestimates += 1;
  }
  expect(overestimates).toBeLessThan(200);
});

test("old occurrences lose their weight", () => {
  const sketch = new FrequencySketch();
  const [old, recent] = [fnv1a("old"), fnv1a("recent")];
  for (let i = 0; i < 100; i++) sketch.increment(old);
  expect(sketch.estimate(old)).toBe(100);
  for (let i = 0; i < 5 * 32_768; i++) sketch.increment(recent);
  expect(sketch.estimate(old)).toBeLessThan(10);
  expect(sketch.estimate(recent)).toBeGreaterThan(100);
});
