/** Most of each kind that there can be: beyond these, documents get too large to hand out. */
export const LIMITS = {
  features: 5000,
  projects: 500,
  environments: 50,
  segments: 300,
  strategiesPerEnvironment: 30,
  constraintsPerStrategy: 30,
  valuesPerConstraint: 250,
  valuesPerSegment: 1000,
  segmentsPerStrategy: 5,
  apiTokens: 2000,
  streams: 10_000,
} as const;
