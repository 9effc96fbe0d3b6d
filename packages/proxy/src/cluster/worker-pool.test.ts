import { expect, test } from "vitest";
import { RestartDelay, type WorkerExit } from "./worker-pool.ts";

const early = { slot: 0, servedMs: 100, isLast: false };
const stable = { slot: 0, servedMs: 10_000, isLast: false };

const delaysOf = (...exits: readonly WorkerExit[]): readonly number[] => {
  const delay = new RestartDelay();
  return exits.map((exit) => delay.nextMs(exit));
};

const repeat = (count: number, exit: WorkerExit): readonly WorkerExit[] =>
  Array.from({ length: count }, () => exit);

test("nextMs() doubles up to 30 s while a worker exits early again and again", () => {
  expect(delaysOf(...repeat(9, early))).toEqual([
    0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000,
  ]);
});

test("nextMs() is the same for a worker that never served", () => {
  expect(delaysOf(...repeat(3, { ...early, servedMs: 0 }))).toEqual([0, 1000, 2000]);
});

test("nextMs() starts again after a worker that served for 10 s", () => {
  expect(delaysOf(early, early, early, stable, early, early)).toEqual([0, 1000, 2000, 0, 0, 1000]);
});

test("nextMs() is 0 for a stable worker, whatever other slots do", () => {
  expect(delaysOf(early, early, early, { ...stable, slot: 1 })).toEqual([0, 1000, 2000, 0]);
});

test("nextMs() counts the early exits of each slot separately", () => {
  expect(delaysOf(early, { ...early, slot: 1 }, { ...early, slot: 2 })).toEqual([0, 0, 0]);
});

test("nextMs() is 0 five times when no other worker is left, and then at most 1 s", () => {
  const last = { ...early, isLast: true };
  expect(delaysOf(...repeat(8, last))).toEqual([0, 0, 0, 0, 0, 1000, 1000, 1000]);
  expect(delaysOf(...repeat(6, last), stable, ...repeat(2, last))).toEqual([
    0, 0, 0, 0, 0, 1000, 0, 0, 0,
  ]);
});
