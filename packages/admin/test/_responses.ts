/** The parts of responses of the admin API that tests read. */

export interface Named {
  readonly name: string;
}

export interface ErrorResponse extends Named {
  readonly message: string;
  readonly details: readonly unknown[];
}

export interface ProjectResponse {
  readonly id: string;
  readonly environments: readonly string[];
}

export interface FeatureResponse extends Named {
  readonly environments: readonly EnvironmentOfFeature[];
  readonly dependencies: readonly unknown[];
  readonly children: readonly string[];
}

interface ListedFeature extends Named {
  readonly environments: readonly unknown[];
}

export interface FeatureList {
  readonly version: number;
  readonly features: readonly ListedFeature[];
}

export interface FeaturePage {
  readonly total: number;
  readonly features: readonly ListedFeature[];
}

export interface EnvironmentOfFeature {
  readonly enabled: boolean;
  readonly strategies: readonly StrategyResponse[];
}

export interface StrategyResponse {
  readonly id: string;
  readonly disabled: boolean;
  readonly constraints: readonly unknown[];
  readonly parameters: Readonly<Record<string, string>>;
  readonly variants: readonly VariantResponse[];
  readonly segments: readonly number[];
}

interface VariantResponse extends Named {
  readonly weight: number;
  readonly payload?: unknown;
}

export interface SegmentResponse extends Named {
  readonly id: number;
}

export interface ContextFieldResponse extends Named {
  readonly sortOrder: number;
  readonly legalValues: readonly unknown[];
}
