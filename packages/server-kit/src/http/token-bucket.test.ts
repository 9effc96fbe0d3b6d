import { expect, test } from "vitest";
import { TokenBucket } from "./token-bucket.ts";

const BUDGET = { burst: 10, perSecond: 2 };

test("TokenBucket allows a burst, then a number per second", () => {
  const bucket = new TokenBucket(BUDGET, 0);
  expect(bucket.tryTake(10, 0)).toBe(0);
  expect(bucket.tryTake(1, 0)).toBe(500);
  expect(bucket.tryTake(3, 500)).toBe(1000);
  expect(bucket.tryTake(3, 1500)).toBe(0);
  expect(bucket.tryTake(1, 1500)).toBe(500);
});

test("TokenBucket never contains more than the burst", () => {
  const bucket = new TokenBucket(BUDGET, 0);
  bucket.give(5);
  expect(bucket.tryTake(10, 1_000_000)).toBe(0);
  expect(bucket.tryTake(1, 1_000_000)).toBe(500);
});

test("TokenBucket takes only what is available, except that a full one allows more than the burst", () => {
  const bucket = new TokenBucket(BUDGET, 0);
  expect(bucket.tryTake(30, 0)).toBe(0);
  expect(bucket.tryTake(1, 0)).toBe(10_500);
  expect(bucket.tryTake(30, 10_500)).toBe(4500);
  expect(bucket.tryTake(30, 15_000)).toBe(0);
});
