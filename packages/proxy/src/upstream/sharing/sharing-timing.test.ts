import { describe, expect, test } from "vitest";
import { sharingTiming, TakeoverBackoff } from "./sharing-timing.ts";

/** The largest random number, for the longest delays. */
const LONGEST = (): number => 1;
/** Of the interval between contacts. */
const JITTER = 1.1;

describe("sharingTiming()", () => {
  test.each([1000, 2000, 5000, 15_000, 30_000, 600_000])(
    "lets another replica follow the upstream within two intervals of %i ms",
    (intervalMs) => {
      const { leaseMs, contactIntervalMs } = sharingTiming(intervalMs, LONGEST);
      expect(leaseMs + JITTER * contactIntervalMs).toBeLessThan(2 * intervalMs);
    },
  );

  test.each([0, 1, 100, 1000, 5000, 30_000, 600_000])(
    "lets a holder miss two contacts without losing its lease at an interval of %i ms",
    (intervalMs) => {
      const { leaseMs, contactIntervalMs, contactTimeoutMs } = sharingTiming(intervalMs, LONGEST);
      expect(2 * JITTER * contactIntervalMs + contactTimeoutMs).toBeLessThan(leaseMs);
      expect(contactIntervalMs).toBeGreaterThanOrEqual(250);
    },
  );

  test("flags that are fetched only once stay fresh", () => {
    expect(sharingTiming(0, LONGEST).freshMs).toBe(Infinity);
  });
});

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
