import { describe, expect, test } from "vitest";
import { sharingTiming } from "./sharing-timing.ts";

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
