import type { EnvironmentState, FeatureEntry, SegmentEntry } from "./environment-state.ts";
import type { FeatureQuery } from "./feature-query.ts";

/** The part of an environment that a question is about. */
export interface Selection {
  /** Ordered by name. */
  readonly features: readonly FeatureEntry[];
  /** The segments that these flags name, ordered by id. */
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
