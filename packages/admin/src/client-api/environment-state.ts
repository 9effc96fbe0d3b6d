import type { ClientFeature, ClientSegment } from "./client-feature.ts";

/** A flag as it is sent, and what it is chosen by. */
export interface FeatureEntry {
  readonly feature: ClientFeature;
  /** The flag as JSON. */
  readonly text: string;
  /** Each as `type:value`. */
  readonly tags: ReadonlySet<string>;
  /** Ids of the segments that its strategies name. */
  readonly segmentIds: ReadonlySet<number>;
}

/** A segment as it is sent. */
export interface SegmentEntry {
  readonly segment: ClientSegment;
  /** The segment as JSON. */
  readonly text: string;
}

/** All that SDKs may learn of an environment, as of one revision. Never changes. */
export interface EnvironmentState {
  readonly environment: string;
  /** Of the latest change that concerns this environment: the same on every replica. */
  readonly revision: number;
  /** Ordered by name. */
  readonly features: readonly FeatureEntry[];
  readonly segments: ReadonlyMap<number, SegmentEntry>;
}
