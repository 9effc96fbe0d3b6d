import { expect, test } from "vitest";
import { BodyPool } from "./body-pool.ts";

test("take() hands out memory again that was given back, and never before", () => {
  const pool = new BodyPool();
  const first = pool.take(10_000);
  const second = pool.take(9000);
  expect(second).not.toBe(first);
  pool.giveBack(first);
  expect(pool.take(10_000)).toBe(first);
  expect(pool.take(10_000)).not.toBe(first);
});

test("take() hands out memory that is large enough, and forgets what has become too small", () => {
  const pool = new BodyPool();
  const small = pool.take(5000);
  expect(pool.take(100_000).length).toBeGreaterThanOrEqual(100_000);
  pool.giveBack(small);
  expect(pool.take(100_000)).not.toBe(small);
});

test("giveBack() keeps a few megabytes at most", () => {
  const pool = new BodyPool();
  const taken = Array.from({ length: 20 }, () => pool.take(2 ** 20));
  for (const memory of taken) pool.giveBack(memory);
  const again = Array.from({ length: 20 }, () => pool.take(2 ** 20));
  expect(again.filter((memory) => taken.includes(memory))).toHaveLength(8);
});

test("take() does not spend the memory for large bodies on a small one", () => {
  const pool = new BodyPool();
  const large = pool.take(100_000);
  pool.giveBack(large);
  const small = pool.take(100);
  expect(small.length).toBe(100);
  pool.giveBack(small);
  expect(pool.take(100_000)).toBe(large);
});
