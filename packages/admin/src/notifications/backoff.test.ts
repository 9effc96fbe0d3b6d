import { expect, test } from "vitest";
import { nextAttempt } from "./backoff.ts";

const HOUR_MS = 60 * 60_000;

/** Returns how long after the event each attempt is made, if all fail. */
function listAttempts(random: () => number, retryAfterMs?: number): readonly number[] {
  const createdAt = new Date("2026-01-01T00:00:00Z");
  const attempts = [0];
  let now: Date | undefined = createdAt;
  while (now !== undefined) {
    now = nextAttempt({ attempts: attempts.length, createdAt, now, retryAfterMs }, random);
    if (now !== undefined) attempts.push(now.getTime() - createdAt.getTime());
  }
  return attempts;
}

test("ten attempts are made within three days and a few hours", () => {
  const latest = listAttempts(() => 1);
  const earliest = listAttempts(() => 0);
  expect(latest).toHaveLength(10);
  expect(earliest).toHaveLength(10);
  expect(latest.slice(0, 4)).toEqual([0, 5000, 305_000, 2_105_000]);
  expect(latest.at(-1)).toBeLessThan(80 * HOUR_MS);
  expect(earliest.at(-1)).toBeGreaterThan(67 * HOUR_MS);
});

test("a receiver can ask for a longer pause, but not for more than a day", () => {
  expect(listAttempts(() => 1, 60_000).slice(0, 3)).toEqual([0, 60_000, 360_000]);
  expect(listAttempts(() => 1, 1000)[1]).toBe(5000);
  expect(listAttempts(() => 1, 1e12)).toEqual([0, 24 * HOUR_MS, 48 * HOUR_MS, 72 * HOUR_MS]);
});
