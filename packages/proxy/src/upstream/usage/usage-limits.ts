/** Limits on the usage in memory. Clients choose the names in it, so they are not trusted. */
export interface UsageLimits {
  /**
   * Estimated memory of all pending data, in bytes. Shared fairly among the quotas (API keys) under
   * which it is reported: a single one can use half of it.
   */
  readonly bytes: number;
  /** Applications with pending usage; shared in the same way. */
  readonly applications: number;
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
  variantsPerFeature: 100,
  unknownFeatures: 10_000,
  impactSeries: 1000,
  registrations: 1000,
};

/** Estimated memory of a flag or variant with its counts, without its name. */
const ENTRY_BYTES = 120;
/** Estimated memory of an application without its name and flags. */
const APPLICATION_BYTES = 400;
const BYTES_PER_CHARACTER = 2;
/** JSON, in which the spool stores names, escapes each of these with six bytes. */
const ESCAPED = /[\p{Cc}\p{Cs}]/u;
const BYTES_PER_ESCAPED = 6;

function textBytes(text: string): number {
  return text.length * (ESCAPED.test(text) ? BYTES_PER_ESCAPED : BYTES_PER_CHARACTER);
}

/** Estimates the memory of an application without its flags, in bytes. */
export function applicationBytes(appName: string): number {
  return APPLICATION_BYTES + textBytes(appName);
}

/** Estimates the memory of a flag or variant, in bytes. */
export function entryBytes(name: string): number {
  return ENTRY_BYTES + textBytes(name);
}

/** The application under which usage is counted if its own would exceed the limits of a quota. */
export const OTHER_APPLICATIONS = "other-applications";
