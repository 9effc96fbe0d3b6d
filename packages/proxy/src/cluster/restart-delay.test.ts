import { expect, test } from "vitest";
import { RestartDelay, type WorkerEnd } from "./restart-delay.ts";

const early = { slot: 0, servedMs: 100, isLast: false };
const steady = { slot: 0, servedMs: 10_000, isLast: false };

const waitsOf = (...ends: readonly WorkerEnd[]): readonly number[] => {
  const delay = new RestartDelay();
  return ends.map((end) => delay.nextMs(end));
};

const times = (count: number, end: WorkerEnd): readonly WorkerEnd[] =>
  Array.from({ length: count }, () => end);

test("nextMs() doubles, up to half a minute, while a worker ends early again and again", () => {
  expect(waitsOf(...times(9, early))).toEqual([
    0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000,
  ]);
});

test("nextMs() is the same for a worker that never served", () => {
  expect(waitsOf(...times(3, { ...early, servedMs: 0 }))).toEqual([0, 1000, 2000]);
});

test("nextMs() starts again after a worker that served for ten seconds", () => {
  expect(waitsOf(early, early, early, steady, early, early)).toEqual([0, 1000, 2000, 0, 0, 1000]);
});

test("nextMs() is 0 for a worker that served well, whatever others do", () => {
  expect(waitsOf(early, early, early, { ...steady, slot: 1 })).toEqual([0, 1000, 2000, 0]);
});

test("nextMs() counts the early ends of each slot on its own", () => {
  expect(waitsOf(early, { ...early, slot: 1 }, { ...early, slot: 2 })).toEqual([0, 0, 0]);
});

test("nextMs() is 0 five times when no other worker is left, and then a second at most", () => {
  const last = { ...early, isLast: true };
  expect(waitsOf(...times(8, last))).toEqual([0, 0, 0, 0, 0, 1000, 1000, 1000]);
  expect(waitsOf(...times(6, last), steady, ...times(2, last))).toEqual([
    0, 0, 0, 0, 0, 1000, 0, 0, 0,
  ]);
});
