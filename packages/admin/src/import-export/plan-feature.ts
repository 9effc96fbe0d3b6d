import type { Actor } from "../storage/event.ts";
import { toFeatureView } from "../domain/features/feature-view.ts";
import type { Feature } from "../domain/features/find-features.ts";
import { changeEvents } from "../domain/features/update-feature.ts";
import { isEqualJson } from "../storage/database.ts";
import type { Changes } from "./changes.ts";
import type { ImportTarget } from "./import-target.ts";
import { planEnvironments } from "./plan-environments.ts";
import { planTags } from "./plan-tags.ts";
import type { FeatureInFile } from "./schemas.ts";

/** What an import comes upon, who does it and when, and what it has come to so far. */
export interface Planning {
  readonly target: ImportTarget;
  readonly actor: Actor;
  readonly now: Date;
  readonly changes: Changes;
  /** Tags that the import makes, by `tagKey()`. */
  readonly newTags: Set<string>;
}

/**
 * Plans to make a feature what the file says; parts that the file does not speak of stay. What it
 * depends on is not looked at.
 */
export function planFeature(planning: Planning, feature: FeatureInFile, path: string): void {
  const before = planning.target.features.get(feature.name);
  if (before === undefined) planNew(planning, feature);
  else planChange(planning, before, feature);
  if (feature.tags !== undefined) planTags(planning, feature.name, { tags: feature.tags, path });
  planEnvironments(planning, feature, path);
}

function planNew({ target, actor, now, changes }: Planning, feature: FeatureInFile): void {
  const created: Feature = {
    name: feature.name,
    project: target.project,
    type: feature.type ?? "release",
    description: feature.description ?? null,
    stale: false,
    impressionData: feature.impressionData ?? false,
    createdBy: actor.name,
    createdAt: now,
    archivedAt: null,
  };
  const after = { ...created, stale: feature.stale ?? false };
  changes.features.push(after);
  changes.events.push(
    {
      type: "feature-created",
      project: target.project,
      feature: feature.name,
      after: toFeatureView(created),
    },
    ...changeEvents(created, after),
  );
}

function planChange(
  { changes }: Planning,
  before: Feature,
  { type, description, stale, impressionData }: FeatureInFile,
): void {
  const after: Feature = {
    ...before,
    type: type ?? before.type,
    description: description === undefined ? before.description : description,
    stale: stale ?? before.stale,
    impressionData: impressionData ?? before.impressionData,
  };
  if (isEqualJson(before, after)) return;
  changes.features.push(after);
  changes.events.push(...changeEvents(before, after));
}
