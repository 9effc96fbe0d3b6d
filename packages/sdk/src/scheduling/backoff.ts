interface DelayOptions {
  /** Delay after a success, in milliseconds; 0 if a success is not followed by another attempt. */
  readonly intervalMs: number;
  readonly failures: number;
  readonly retryAfterMs?: number | undefined;
  /** @default `Math.random` */
  readonly random?: () => number;
}

/** The longest delay `setTimeout` supports: anything longer fires immediately. */
export const MAX_DELAY_MS = 2_147_483_647;

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;
const MAX_RETRY_INTERVALS = 10;
const JITTER = 0.1;

/**
 * Returns the delay before the next attempt, in whole milliseconds.
 *
 * - After a success: the interval ±10%, so that replicas started together drift apart.
 * - After a failure: exponential backoff. The upper bound starts at one second (or at the interval
 *   if that is shorter) and doubles with each consecutive failure, up to ten intervals but at most
 *   one minute, or one interval if that is longer than a minute. The delay is a random 50-100% of
 *   this bound.
 * - `retryAfterMs` is a minimum, plus up to 10% of jitter.
 */
export function nextDelayMs(options: DelayOptions): number {
  const { intervalMs, failures, retryAfterMs = 0, random = Math.random } = options;
  if (failures === 0) return toDelay(intervalMs * (1 - JITTER + 2 * JITTER * random()));
  const backoffMs = backoffLimitMs(intervalMs, failures) * (0.5 + 0.5 * random());
  return toDelay(Math.max(backoffMs, retryAfterMs * (1 + JITTER * random())));
}

function backoffLimitMs(intervalMs: number, failures: number): number {
  const isRepeated = intervalMs > 0;
  const firstMs = isRepeated ? Math.min(intervalMs, FIRST_RETRY_MS) : FIRST_RETRY_MS;
  const tenIntervalsMs = isRepeated ? intervalMs * MAX_RETRY_INTERVALS : MAX_RETRY_MS;
  const maxMs = Math.max(intervalMs, Math.min(tenIntervalsMs, MAX_RETRY_MS));
  return Math.min(firstMs * 2 ** (failures - 1), maxMs);
}

function toDelay(delayMs: number): number {
  return Math.min(Math.round(delayMs), MAX_DELAY_MS);
}
