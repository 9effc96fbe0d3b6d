/** What the wait before the next attempt depends on. */
export interface Attempts {
  /** The wait after a success; 0 when nothing is repeated after one. */
  readonly intervalMs: number;
  /** Failures in a row; 0 after a success. */
  readonly failures: number;
  /** How long the other side asked us to stay away. */
  readonly retryAfterMs?: number | undefined;
  /** Draws a number in [0, 1). */
  readonly random: () => number;
}

/** What `setTimeout` can take: a longer delay would fire at once. */
export const MAX_DELAY_MS = 2_147_483_647;

const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;
const LONGEST_RETRY_INTERVALS = 10;
const SPREAD = 0.1;

/**
 * How long to wait before the next attempt.
 *
 * After a success: the interval, give or take 10 %, so that replicas started together drift apart.
 * After failures: one second (or the interval, if that is shorter), doubled with each failure up to
 * ten intervals, but no more than a minute unless the interval itself is longer; of that a random
 * 50-100 %. A `Retry-After` is a minimum, stretched by up to 10 %. Retries never stop.
 */
export function nextDelayMs(attempts: Attempts): number {
  const { intervalMs, failures, retryAfterMs = 0, random } = attempts;
  if (failures === 0) return toDelay(intervalMs * (1 - SPREAD + 2 * SPREAD * random()));
  const backoffMs = backoffLimitMs(intervalMs, failures) * (0.5 + 0.5 * random());
  return toDelay(Math.max(backoffMs, retryAfterMs * (1 + SPREAD * random())));
}

function backoffLimitMs(intervalMs: number, failures: number): number {
  const isRepeated = intervalMs > 0;
  const firstMs = isRepeated ? Math.min(intervalMs, FIRST_RETRY_MS) : FIRST_RETRY_MS;
  const tenIntervalsMs = isRepeated ? intervalMs * LONGEST_RETRY_INTERVALS : LONGEST_RETRY_MS;
  const longestMs = Math.max(intervalMs, Math.min(tenIntervalsMs, LONGEST_RETRY_MS));
  return Math.min(firstMs * 2 ** (failures - 1), longestMs);
}

function toDelay(delayMs: number): number {
  return Math.min(Math.round(delayMs), MAX_DELAY_MS);
}
