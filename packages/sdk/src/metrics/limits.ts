/** Bounds on the usage held: clients choose the names, so somebody will choose very many. */
export interface UsageLimits {
  readonly applications: number;
  readonly featuresPerApplication: number;
  readonly variantsPerFeature: number;
  /** Applications, their features and the variants of those, all together. */
  readonly entries: number;
  /** In UTF-16 code units. */
  readonly nameLength: number;
}

/**
 * What a client holds at most. That is about 15 MB where names have a usual length, and 70 MB where
 * every one is as long as it may be; reports on their way take up to 20 MB more.
 */
export const USAGE_LIMITS: UsageLimits = {
  applications: 10_000,
  featuresPerApplication: 50_000,
  variantsPerFeature: 100,
  entries: 100_000,
  nameLength: 255,
};
