import { expect, test } from "vitest";
import { TakeoverBackoff } from "./takeover-backoff.ts";

test("the backoff doubles with each failure up to 16 times the first delay, and ends with a success", () => {
  let nowMs = 0;
  const backoff = new TakeoverBackoff(100, () => nowMs);
  expect(backoff.isOver).toBe(true);
  const durations = Array.from({ length: 7 }, () => {
    const startMs = nowMs;
    backoff.failed();
    while (!backoff.isOver) {
      nowMs += 100;
      // While it lasts, the same failure is reported again.
      if (!backoff.isOver) backoff.failed();
      nowMs += 1;
    }
    return Math.round((nowMs - startMs) / 100);
  });
  expect(durations).toEqual([1, 2, 4, 8, 16, 16, 16]);
  backoff.failed();
  backoff.succeeded();
  expect(backoff.isOver).toBe(true);
});
