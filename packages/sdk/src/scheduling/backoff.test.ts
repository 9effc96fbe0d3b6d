import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DELAY_MS, nextDelayMs } from "./backoff.ts";

const lowest = (): number => 0;
const highest = (): number => 1 - Number.EPSILON;

describe("nextDelayMs()", () => {
  it("returns the interval ±10% after a success", () => {
    expect(nextDelayMs({ intervalMs: 5000, failures: 0, random: lowest })).toBe(4500);
    expect(nextDelayMs({ intervalMs: 5000, failures: 0, random: () => 0.5 })).toBe(5000);
    expect(nextDelayMs({ intervalMs: 5000, failures: 0, random: highest })).toBe(5500);
  });

  it.each([
    [5000, [1000, 2000, 4000, 8000, 16_000, 32_000, 50_000, 50_000]],
    [15_000, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]],
    [300_000, [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000]],
    [100, [100, 200, 400, 800, 1000, 1000]],
    [0, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]],
  ])(
    "limits the delay for an interval of %d ms to %j after 1, 2, ... failures",
    (intervalMs, limits) => {
      limits.forEach((limitMs, index) => {
        const failures = index + 1;
        expect(nextDelayMs({ intervalMs, failures, random: highest })).toBe(limitMs);
        expect(nextDelayMs({ intervalMs, failures, random: lowest })).toBe(limitMs / 2);
      });
    },
  );

  it("treats Retry-After as a minimum and adds up to 10%", () => {
    const options = { intervalMs: 5000, failures: 1, retryAfterMs: 30_000 };
    expect(nextDelayMs({ ...options, random: lowest })).toBe(30_000);
    expect(nextDelayMs({ ...options, random: highest })).toBe(33_000);
  });

  it("uses the backoff if it is longer than Retry-After", () => {
    const options = { intervalMs: 5000, failures: 9, retryAfterMs: 0 };
    expect(nextDelayMs({ ...options, random: lowest })).toBe(25_000);
  });

  it("always returns a delay that setTimeout supports", () => {
    const arbitrary = fc.record({
      intervalMs: fc.nat({ max: MAX_DELAY_MS }),
      failures: fc.nat({ max: 5000 }),
      retryAfterMs: fc.option(fc.nat({ max: MAX_DELAY_MS }), { nil: undefined }),
      draw: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    });
    fc.assert(
      fc.property(arbitrary, ({ draw, ...options }) => {
        const delayMs = nextDelayMs({ ...options, random: () => draw });
        expect(Number.isInteger(delayMs)).toBe(true);
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(delayMs).toBeLessThanOrEqual(MAX_DELAY_MS);
      }),
    );
  });
});
