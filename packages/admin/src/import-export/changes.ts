import type { Dependency } from "../domain/dependencies/dependency.ts";
import type { NewEvent } from "../storage/event.ts";
import type { Feature } from "../domain/features/find-features.ts";
import type { StrategyWithSegments } from "../domain/strategies/find-strategies.ts";
import type { TagInput } from "../domain/tags/ensure-tags.ts";
import type { TagName } from "../domain/tags/link-tags.ts";

/** A feature in one environment. */
export interface FeatureEnvironment {
  readonly feature: string;
  readonly environment: string;
  readonly enabled: boolean;
}

/** A tag of a feature. */
export interface FeatureTag extends TagName {
  readonly feature: string;
}

/** What an import will write. Rows are new, or take the place of those with the same key. */
export interface Changes {
  readonly features: Feature[];
  readonly environments: FeatureEnvironment[];
  readonly strategies: StrategyWithSegments[];
  /** Ids. */
  readonly removedStrategies: string[];
  /** Those that no feature had before. */
  readonly tags: TagInput[];
  readonly addedTags: FeatureTag[];
  readonly removedTags: FeatureTag[];
  readonly dependencies: Dependency[];
  /** Names of features that depend on nothing any more. */
  readonly freed: string[];
  /** What will have happened, in order. */
  readonly events: NewEvent[];
}

export function createChanges(): Changes {
  return {
    features: [],
    environments: [],
    strategies: [],
    removedStrategies: [],
    tags: [],
    addedTags: [],
    removedTags: [],
    dependencies: [],
    freed: [],
    events: [],
  };
}
