import type { Feature } from "./find-features.ts";

/** A flag as it is told, by itself: without what it has in its environments. */
export interface FeatureView {
  readonly name: string;
  readonly type: string;
  readonly project: string;
  readonly description: string | null;
  readonly stale: boolean;
  readonly impressionData: boolean;
  readonly createdAt: Date;
  readonly createdBy: { readonly name: string };
  readonly archived: boolean;
  readonly archivedAt?: Date;
}

export function toFeatureView(feature: Feature): FeatureView {
  const { name, type, project, description, stale, impressionData, createdAt } = feature;
  return {
    name,
    type,
    project,
    description,
    stale,
    impressionData,
    createdAt,
    createdBy: { name: feature.createdBy },
    archived: feature.archivedAt !== null,
    ...(feature.archivedAt !== null && { archivedAt: feature.archivedAt }),
  };
}
