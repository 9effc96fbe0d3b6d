/** The durations of sharing, in milliseconds. */
export interface SharingTiming {
  /** Between contacts with the exchange. */
  readonly contactIntervalMs: number;
  /** Maximum time for a contact. */
  readonly contactTimeoutMs: number;
  /** Maximum time to publish or read flags. */
  readonly transferTimeoutMs: number;
  /** How long the lease lasts without a renewal. */
  readonly leaseMs: number;
  /** Without contact for this long, a replica follows the upstream itself. */
  readonly gracePeriodMs: number;
  /** How long the upstream must have failed until another replica may take the lease. */
  readonly failingAfterMs: number;
  /** How long a replica waits after its last failure before it takes the lease of a failing holder again. */
  readonly takeoverDelayMs: number;
  /** Flags that were confirmed within this time count as those of the upstream. Infinite if it is polled once. */
  readonly freshMs: number;
  /** How much later shared flags must have been confirmed than those of a replica to replace them. */
  readonly marginMs: number;
}

/** With shorter intervals, a busy process would lose its lease. */
const MIN_BASE_MS = 1000;
/** With longer intervals, a replica would notice too late that it has to follow the upstream. */
const MAX_BASE_MS = 30_000;
const DEFAULT_BASE_MS = 5000;
const LEASE_INTERVALS = 1.25;
/** No replica takes a lease for longer. */
export const MAX_LEASE_MS: number = MAX_BASE_MS * LEASE_INTERVALS;
/** Streams confirm flags with a keep-alive about every 30 seconds. */
const MIN_FRESH_MS = 60_000;

/**
 * Derives the durations from the refresh interval. A lease ends 1.25 intervals after its last renewal, and
 * other replicas check it every quarter of an interval, so another holder follows the upstream
 * within two.
 *
 * @param intervalMs milliseconds between polls; 0: polled only once
 * @param random returns a number in [0, 1), so that not all replicas poll at once when the exchange fails
 */
export function sharingTiming(intervalMs: number, random: () => number): SharingTiming {
  const wantedMs = intervalMs === 0 ? DEFAULT_BASE_MS : intervalMs;
  const baseMs = Math.min(Math.max(wantedMs, MIN_BASE_MS), MAX_BASE_MS);
  return {
    contactIntervalMs: baseMs / 4,
    contactTimeoutMs: Math.min(baseMs / 2, 2000),
    transferTimeoutMs: Math.min(baseMs, 10_000),
    leaseMs: Math.round(baseMs * LEASE_INTERVALS),
    gracePeriodMs: baseMs * (1 + random() / 2),
    failingAfterMs: 2 * Math.max(wantedMs, baseMs),
    takeoverDelayMs: 10 * Math.max(wantedMs, baseMs),
    freshMs: intervalMs === 0 ? Infinity : Math.max(3 * wantedMs, MIN_FRESH_MS),
    marginMs: baseMs,
  };
}
