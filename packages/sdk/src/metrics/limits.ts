/** Bounds on the usage held: clients choose the names, so somebody will choose very many. */
export interface UsageLimits {
  readonly applications: number;
  readonly featuresPerApplication: number;
  readonly variantsPerFeature: number;
  /** Applications, their features and the variants of those, all together. */
  readonly entries: number;
  readonly nameLength: number;
}

/** About 20 MB when all of it is used. */
export const USAGE_LIMITS: UsageLimits = {
  applications: 1000,
  featuresPerApplication: 10_000,
  variantsPerFeature: 100,
  entries: 100_000,
  nameLength: 255,
};
