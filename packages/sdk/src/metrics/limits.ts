/** Bounds on the usage in memory. Clients choose the names in it, and some will choose very many. */
export interface UsageLimits {
  /**
   * Estimated memory of everything that waits for delivery, in bytes. It is shared fairly among the
   * client keys under which usage is reported: a single one can use half of it.
   */
  readonly bytes: number;
  /** Applications with usage that waits for delivery; shared in the same way. */
  readonly applications: number;
  readonly featuresPerApplication: number;
  readonly variantsPerFeature: number;
  /** Names, over all applications of one client key, of flags that the upstream did not send. */
  readonly unknownFeatures: number;
  /** Combinations of impact metric and labels for each client key. */
  readonly impactSeries: number;
  /** Registrations that wait for delivery, for each client key. */
  readonly registrations: number;
  /** In UTF-16 code units. */
  readonly nameLength: number;
}

/**
 * What a client holds at most. 16 MiB, the half that a single key can use, are about 100,000 flags
 * and variants with names of a usual length.
 */
export const USAGE_LIMITS: UsageLimits = {
  bytes: 32 * 1024 * 1024,
  applications: 20_000,
  featuresPerApplication: 50_000,
  variantsPerFeature: 100,
  unknownFeatures: 10_000,
  impactSeries: 1000,
  registrations: 1000,
  nameLength: 255,
};

/** Memory of a flag or variant apart from its name, in bytes. */
const ENTRY_BYTES = 120;
const APPLICATION_BYTES = 400;
const BYTES_PER_CHARACTER = 2;

/** The estimated memory of a flag or variant with its counts. */
export function entryBytes(name: string): number {
  return ENTRY_BYTES + BYTES_PER_CHARACTER * name.length;
}

/** The estimated memory of an application, apart from its flags. */
export function applicationBytes(name: string): number {
  return APPLICATION_BYTES + BYTES_PER_CHARACTER * name.length;
}
