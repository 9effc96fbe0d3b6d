/** Limits on the usage in memory. Clients choose the names in it, so they are not trusted. */
export interface UsageLimits {
  /**
   * Estimated memory of all pending data, in bytes. Shared fairly among the quotas (API keys) under
   * which it is reported: a single one can use half of it.
   */
  readonly bytes: number;
  /** Applications with pending usage; shared in the same way. */
  readonly applications: number;
  readonly featuresPerApplication: number;
  readonly variantsPerFeature: number;
  /** Names per quota, over all its applications, of flags that the upstream did not send. */
  readonly unknownFeatures: number;
  /** Combinations of impact metric and labels per quota. */
  readonly impactSeries: number;
  /** Pending registrations per quota. */
  readonly registrations: number;
}

/**
 * The limits of a client. 16 MiB, the half that a single quota can use, are enough for about 100,000
 * flags and variants with names of usual length.
 */
export const USAGE_LIMITS: UsageLimits = {
  bytes: 32 * 1024 * 1024,
  applications: 20_000,
  featuresPerApplication: 50_000,
  variantsPerFeature: 100,
  unknownFeatures: 10_000,
  impactSeries: 1000,
  registrations: 1000,
};

/** Concurrent requests to the upstream while usage is delivered. */
export const MAX_CONCURRENT_REQUESTS = 20;

/** Memory of a flag or variant without its name, in bytes. */
const ENTRY_BYTES = 120;
const APPLICATION_BYTES = 400;
const BYTES_PER_CHARACTER = 2;
/** JSON, in which the spool stores names, escapes each of these with six bytes. */
const ESCAPED = /[\p{Cc}\p{Cs}]/u;
const BYTES_PER_ESCAPED = 6;

/** Estimates the memory of a flag or variant with its counts, in bytes. */
export function entryBytes(name: string): number {
  return ENTRY_BYTES + textBytes(name);
}

/** Estimates the memory of an application without its flags, in bytes. */
export function applicationBytes(name: string): number {
  return APPLICATION_BYTES + textBytes(name);
}

function textBytes(text: string): number {
  return text.length * (ESCAPED.test(text) ? BYTES_PER_ESCAPED : BYTES_PER_CHARACTER);
}

/** The quota of data without one. */
export const DEFAULT_QUOTA = "";

/** The application under which usage is counted if its own would exceed the limits of a quota. */
export const OTHER_APPLICATIONS = "other-applications";

/** The share of a `FairBudget` that one quota uses. */
export interface BudgetShare {
  /** Whether the quota may claim this amount in addition. */
  fits(amount: number): boolean;
  /** Whether this amount is free, regardless of what other quotas may claim later. */
  fitsBeyondShare(amount: number): boolean;
  claim(amount: number): void;
  release(amount: number): void;
}

/**
 * A limited amount that is shared among quotas: none may use more than what remains free. So a
 * single quota can use half of the budget, and n quotas that claim all they can get 1/(n+1)
 * each, which leaves the same share for another one. No quota can exhaust the budget for others.
 *
 * `FairShare` in `flags-server-kit`, which this package cannot import, applies the same rule to clients.
 */
export class FairBudget {
  #free: number;
  readonly #used = new Map<string, number>();

  constructor(limit: number) {
    this.#free = limit;
  }

  shareOf(quotaId: string): BudgetShare {
    return {
      fits: (amount) =>
        amount === 0 || (this.#used.get(quotaId) ?? 0) + amount <= this.#free - amount,
      fitsBeyondShare: (amount) => amount <= this.#free,
      claim: (amount) => this.#change(quotaId, amount),
      release: (amount) => this.#change(quotaId, -amount),
    };
  }

  #change(quotaId: string, amount: number): void {
    const used = (this.#used.get(quotaId) ?? 0) + amount;
    this.#free -= amount;
    if (used === 0) this.#used.delete(quotaId);
    else this.#used.set(quotaId, used);
  }
}
