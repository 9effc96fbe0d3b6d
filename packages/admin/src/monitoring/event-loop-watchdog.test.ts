import { expect, test } from "vitest";
import { createStuckCheck } from "./event-loop-watchdog.ts";

test("createStuckCheck() reports a counter that has not changed for the maximum number of intervals", () => {
  const isStuck = createStuckCheck(3, 0);
  expect([1, 1, 1, 1].map(isStuck)).toEqual([false, false, false, true]);
});

test("createStuckCheck() starts again whenever the counter changes", () => {
  const isStuck = createStuckCheck(2, 0);
  expect([0, 1, 1, 2, 2, 7, 7].map(isStuck)).toEqual(Array.from({ length: 7 }, () => false));
  expect(isStuck(7)).toBe(true);
});
