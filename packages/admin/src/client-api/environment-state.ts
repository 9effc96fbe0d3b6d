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

/** Compares flags for the order of documents, which is that of the bytes: names are ASCII. */
export function byName({ feature: one }: FeatureEntry, { feature: other }: FeatureEntry): number {
  return one.name < other.name ? -1 : 1;
}

/** A segment as SDKs receive it. */
export interface SegmentEntry {
  readonly segment: ClientSegment;
  /** The segment as JSON. */
  readonly text: string;
}

/** Everything that SDKs may read of an environment, at one revision. Immutable. */
export interface EnvironmentState {
  /** The latest change that affects this environment: the same on every replica. */
  readonly revision: number;
  /** Ordered by name. */
  readonly features: readonly FeatureEntry[];
  readonly segments: ReadonlyMap<number, SegmentEntry>;
}

/** The part of an environment that a query selects. */
interface Selection {
  /** Ordered by name. */
  readonly features: readonly FeatureEntry[];
  /** The segments that these flags refer to, ordered by id. */
  readonly segments: readonly SegmentEntry[];
}

export function selectFeatures(state: EnvironmentState, query: FeatureQuery): Selection {
  const features = state.features.filter(createSelector(query));
  const ids = new Set(features.flatMap(({ segmentIds }) => [...segmentIds]));
  return {
    features,
    segments: [...ids].toSorted((a, b) => a - b).flatMap((id) => state.segments.get(id) ?? []),
  };
}

/** NOTE: clients can send thousands of projects and tags, so each flag must not be compared with all of them. */
function createSelector(query: FeatureQuery): (entry: FeatureEntry) => boolean {
  const projects = query.projects && new Set(query.projects);
  const wantedTags = new Set(query.tags);
  return ({ feature, tags }) =>
    feature.name.startsWith(query.namePrefix) &&
    (projects === undefined || projects.has(feature.project)) &&
    (wantedTags.size === 0 || [...tags].some((tag) => wantedTags.has(tag)));
}
