import { expect, test } from "vitest";
import { RateLimit } from "./rate-limit.ts";

test("count() allows the burst, then the rate, and says how long to wait", () => {
  let nowMs = 0;
  const limit = new RateLimit({ perSecond: 2, burst: 3 }, () => nowMs);
  expect([1, 2, 3, 4].map(() => limit.count())).toEqual([0, 0, 0, 1]);
  nowMs = 500;
  expect([limit.count(), limit.count()]).toEqual([0, 1]);
  nowMs = 3_600_000;
  expect([1, 2, 3, 4].map(() => limit.count())).toEqual([0, 0, 0, 1]);
});

test("the default burst is the rate per second, but at least 1", () => {
  expect(
    [1, 2, 3]
      .map(() => new RateLimit({ perSecond: 2 }, () => 0))
      .map((limit) => [limit.count(), limit.count(), limit.count()])[0],
  ).toEqual([0, 0, 1]);
  const slow = new RateLimit({ perSecond: 0.1 }, () => 0);
  expect([slow.count(), slow.count()]).toEqual([0, 10]);
});

test("requests that are rejected do not delay the next one", () => {
  let nowMs = 0;
  const limit = new RateLimit({ perSecond: 1 }, () => nowMs);
  for (let i = 0; i < 100; i++) limit.count();
  nowMs = 1000;
  expect(limit.count()).toBe(0);
});
