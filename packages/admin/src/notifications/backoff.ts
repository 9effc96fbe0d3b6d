const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long to wait after each failed attempt. Together three days. */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** A receiver may ask for a longer pause than the next one, up to this. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/** Receivers that ask for long pauses must not get what is long out of date. */
const MAX_AGE_MS = 80 * HOUR_MS;

interface Failed {
  /** How many attempts have failed, at least one. */
  readonly attempts: number;
  readonly createdAt: Date;
  readonly now: Date;
  readonly retryAfterMs: number | undefined;
}

/** Returns when to try again; undefined if it was the last attempt. */
export function nextAttempt(
  { attempts, createdAt, now, retryAfterMs = 0 }: Failed,
  random: () => number = Math.random,
): Date | undefined {
  const delayMs = DELAYS_MS[attempts - 1];
  if (delayMs === undefined) return undefined;
  // Up to a tenth less, so that not everything that failed together is sent again together.
  const withJitterMs = delayMs * (0.9 + 0.1 * random());
  const waitMs = Math.max(withJitterMs, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
  const next = new Date(now.getTime() + waitMs);
  return next.getTime() - createdAt.getTime() > MAX_AGE_MS ? undefined : next;
}
