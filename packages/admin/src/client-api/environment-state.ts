import type { ClientFeature, ClientSegment } from "./client-feature.ts";
import type { FeatureQuery } from "./feature-query.ts";

/** A flag as SDKs receive it, and the properties by which queries select it. */
export interface FeatureEntry {
  readonly feature: ClientFeature;
  /** The flag as JSON. */
  readonly text: string;
  /** Each as `type:value`. */
  readonly tags: ReadonlySet<string>;
  /** Ids of the segments that its strategies refer to. */
  readonly segmentIds: ReadonlySet<number>;
}

/** A segment as SDKs receive it. */
export interface SegmentEntry {
  readonly segment: ClientSegment;
  /** The segment as JSON. */
  readonly text: string;
}

/** Everything that SDKs may read of an environment, at one revision. Immutable. */
export interface EnvironmentState {
  readonly environment: string;
  /** The latest change that affects this environment: the same on every replica. */
  readonly revision: number;
  /** Ordered by name. */
  readonly features: readonly FeatureEntry[];
  readonly segments: ReadonlyMap<number, SegmentEntry>;
}

/** The part of an environment that a query selects. */
export interface Selection {
  /** Ordered by name. */
  readonly features: readonly FeatureEntry[];
  /** The segments that these flags refer to, ordered by id. */
  readonly segments: readonly SegmentEntry[];
}

export function selectFeatures(state: EnvironmentState, query: FeatureQuery): Selection {
  const features = state.features.filter((entry) => isSelected(entry, query));
  const ids = new Set(features.flatMap(({ segmentIds }) => [...segmentIds]));
  return {
    features,
    segments: [...ids].toSorted((a, b) => a - b).flatMap((id) => state.segments.get(id) ?? []),
  };
}

function isSelected(
  { feature, tags }: FeatureEntry,
  { projects, namePrefix, tags: wantedTags }: FeatureQuery,
): boolean {
  return (
    feature.name.startsWith(namePrefix) &&
    (projects === undefined || projects.includes(feature.project)) &&
    (wantedTags.length === 0 || wantedTags.some((tag) => tags.has(tag)))
  );
}
