import { expect, test } from "vitest";
import { BodyPool } from "./body-pool.ts";

const MEGABYTE = 2 ** 20;

test("take() hands out rooms of that size, and none of them twice", () => {
  const pool = new BodyPool();
  const [first, second] = [pool.take(10_000), pool.take(9000)];
  expect([first?.length, second?.length]).toEqual([10_000, 9000]);
  first?.fill(1);
  second?.fill(2);
  expect(first?.every((byte) => byte === 1)).toBe(true);
});

test("take() hands out a room again that was given back", () => {
  const pool = new BodyPool();
  const first = pool.take(10_000);
  if (first !== undefined) pool.giveBack(first);
  expect(pool.take(9000)?.byteOffset).toBe(first?.byteOffset);
});

test("take() hands out a few megabytes at most, until something is given back", () => {
  const pool = new BodyPool();
  const rooms = Array.from({ length: 8 }, () => pool.take(MEGABYTE));
  expect(rooms).not.toContain(undefined);
  expect(pool.take(1)).toBeUndefined();
  for (const room of rooms.slice(0, 1)) if (room !== undefined) pool.giveBack(room);
  expect(pool.take(MEGABYTE)).toBeDefined();
  expect(pool.take(1)).toBeUndefined();
});

test("take() hands out one room of any size", () => {
  const pool = new BodyPool();
  expect(pool.take(20 * MEGABYTE)?.length).toBe(20 * MEGABYTE);
  expect(pool.take(1)).toBeUndefined();
});
