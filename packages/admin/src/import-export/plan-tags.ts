import { badData } from "../errors.ts";
import type { NewEvent } from "../storage/event.ts";
import type { TagName } from "../domain/tags/link-tags.ts";
import { tagKey } from "./import-target.ts";
import type { Planning } from "./plan-feature.ts";
import type { FeatureInFile } from "./schemas.ts";

interface WantedTags {
  readonly tags: NonNullable<FeatureInFile["tags"]>;
  /** Where the feature is in the file. */
  readonly path: string;
}

/** Plans to give a feature these tags and no others. */
export function planTags(planning: Planning, feature: string, { tags, path }: WantedTags): void {
  const { target, changes } = planning;
  const existing = target.tagsOf.get(feature) ?? [];
  const had = new Set(existing.map(tagKey));
  const wanted = new Map(tags.map((tag) => [tagKey(tag), tag]));
  const added = [...wanted].filter(([key]) => !had.has(key)).map(([, tag]) => tag);
  const removed = existing.filter((tag) => !wanted.has(tagKey(tag)));

  for (const tag of added) checkType(planning, tag, path);
  for (const tag of added) planCreation(planning, tag);
  changes.addedTags.push(...added.map(({ type, value }) => ({ feature, type, value })));
  changes.removedTags.push(...removed);
  const tell = (event: Pick<NewEvent, "after" | "before" | "type">): void => {
    changes.events.push({ project: target.project, feature, ...event });
  };
  for (const { type, value } of added) tell({ type: "feature-tagged", after: { type, value } });
  for (const { type, value } of removed) {
    tell({ type: "feature-untagged", before: { type, value } });
  }
}

function checkType({ target }: Planning, { type }: TagName, path: string): void {
  if (target.tagTypes.has(type)) return;
  throw badData(path, `names a tag type that does not exist: ${JSON.stringify(type)}`);
}

/** Makes a tag that no feature had before. */
function planCreation(
  { target, changes, newTags }: Planning,
  { type, value, color = null }: WantedTags["tags"][number],
): void {
  const key = tagKey({ type, value });
  if (target.tags.has(key) || newTags.has(key)) return;
  newTags.add(key);
  changes.tags.push({ type, value, color });
  changes.events.push({ type: "tag-created", after: { type, value, color } });
}
