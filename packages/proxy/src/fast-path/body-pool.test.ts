import { expect, test, vi } from "vitest";
import { pieceMemory } from "../render/pieces/piece-memory.ts";
import { BodyPool, type Room } from "./body-pool.ts";

const MEGABYTE = 2 ** 20;

function taken(pool: BodyPool, byteLength: number): Room {
  const room = pool.take(byteLength);
  if (room === undefined) throw new Error(`There is no room for ${byteLength} bytes`);
  return room;
}

test("take() hands out rooms of that size, and none of them twice", () => {
  const pool = new BodyPool();
  const [first, second] = [taken(pool, 10_000), taken(pool, 9000)];
  expect([first.bytes.length, second.bytes.length]).toEqual([10_000, 9000]);
  first.bytes.fill(1);
  second.bytes.fill(2);
  expect(first.bytes.every((byte) => byte === 1)).toBe(true);
});

test("take() hands out a room again that was given back", () => {
  const pool = new BodyPool();
  const first = taken(pool, 10_000);
  pool.giveBack(first);
  expect(taken(pool, 9000).region).toEqual(first.region);
});

test("take() hands out a few megabytes at most, until something is given back", () => {
  const pool = new BodyPool();
  const first = taken(pool, MEGABYTE);
  for (let i = 1; i < 8; i++) taken(pool, MEGABYTE);
  expect(pool.take(1)).toBeUndefined();
  pool.giveBack(first);
  expect(pool.take(MEGABYTE)).toBeDefined();
  expect(pool.take(1)).toBeUndefined();
});

test("take() counts the memory that small bodies take", () => {
  const pool = new BodyPool();
  let count = 0;
  while (pool.take(1) !== undefined) count++;
  expect(count).toBe((8 * MEGABYTE) / 4096);
});

test("take() hands out one room of any size", () => {
  const pool = new BodyPool();
  expect(taken(pool, 20 * MEGABYTE).bytes.length).toBe(20 * MEGABYTE);
  expect(pool.take(1)).toBeUndefined();
});

test("take() counts nothing when the memory cannot grow", () => {
  const pool = new BodyPool();
  vi.spyOn(pieceMemory, "take").mockImplementationOnce(() => {
    throw new RangeError("no more memory");
  });
  expect(() => pool.take(8 * MEGABYTE)).toThrow("no more memory");
  expect(taken(pool, 8 * MEGABYTE).bytes.length).toBe(8 * MEGABYTE);
});
