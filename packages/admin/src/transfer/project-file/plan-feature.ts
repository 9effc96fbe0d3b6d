import { checkUniqueNames } from "../../domain/check-unique.ts";
import { notInProject, toSwitchEvent, toVariantsEvent } from "../../domain/feature-environment.ts";
import { type Feature, toFeatureView } from "../../domain/feature.ts";
import { toChangeEvents } from "../../domain/features/update-feature.ts";
import { parseSnooze, type SnoozeInput } from "../../domain/lifecycle/snooze.ts";
import { notAccepted } from "../../domain/projects/feature-naming.ts";
import { tagKey, type TagName, trimTag } from "../../domain/tags/store.ts";
import { checkFlagVariants } from "../../domain/variants/check-variants.ts";
import { badData } from "../../errors.ts";
import type { NewEvent } from "../../storage/events.ts";
import { isEqualJson } from "../../storage/database.ts";
import type { ImportPlan } from "./import-plan.ts";
import { withErrorPath } from "../../http/error-path.ts";
import type { FeatureEnvironmentState } from "./import-target.ts";
import { planStrategies } from "./plan-strategies.ts";
import type { EnvironmentInFile, FeatureInFile } from "./schemas.ts";

/** The state of a new flag in each environment. */
const NEW_STATE: FeatureEnvironmentState = { enabled: false, variants: [] };

/**
 * Plans the changes that make a flag match the file, except its dependencies. Properties that are
 * absent from the file stay unchanged.
 *
 * @param path of the flag in the request, such as `/body/features/0`
 */
export function planFeature(plan: ImportPlan, feature: FeatureInFile, path: string): void {
  const before = plan.target.features.get(feature.name);
  if (before === undefined) planNewFeature(plan, feature, path);
  else planChangedFeature(plan, before, feature);
  if (feature.staleSnooze !== undefined) planSnooze(plan, feature.name, feature.staleSnooze, path);
  if (feature.tags !== undefined) planTags(plan, feature.name, { tags: feature.tags, path });
  planEnvironments(plan, feature, path);
}

function planNewFeature(
  { target, actor, now, changes }: ImportPlan,
  feature: FeatureInFile,
  path: string,
): void {
  const { featureNaming } = target;
  if (featureNaming !== null && !target.acceptsName(feature.name)) {
    withErrorPath(path, () => {
      throw notAccepted(featureNaming);
    });
  }
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
    ...toChangeEvents(created, after),
  );
}

function planChangedFeature(
  { changes }: ImportPlan,
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
  changes.events.push(...toChangeEvents(before, after));
}

function planSnooze(
  { target, changes }: ImportPlan,
  feature: string,
  inFile: SnoozeInput | null,
  path: string,
): void {
  const before = target.snoozes.get(feature) ?? null;
  const after = inFile === null ? null : parseSnooze(inFile, `${path}/staleSnooze`);
  if (isEqualJson(before, after)) return;
  changes.snoozes.push({ feature, snooze: after });
  changes.events.push({
    type: after === null ? "feature-stale-unsnoozed" : "feature-stale-snoozed",
    project: target.project,
    feature,
    ...(before !== null && { before }),
    ...(after !== null && { after }),
  });
}

function planEnvironments(
  plan: ImportPlan,
  { name: feature, environments = [] }: FeatureInFile,
  path: string,
): void {
  const { target, changes } = plan;
  checkUniqueNames(environments, `${path}/environments`);
  const stored = target.states.get(feature);
  const before = stored ?? new Map(target.environments.map((name) => [name, NEW_STATE]));
  const after = new Map(before);
  for (const [index, environment] of environments.entries()) {
    const { name } = environment;
    const environmentPath = `${path}/environments/${index}`;
    const state = withErrorPath(`${environmentPath}/name`, () => {
      const found = before.get(name);
      if (found === undefined) throw notInProject({ project: target.project, environment: name });
      return found;
    });
    checkEnabled(environment, environmentPath);
    planStrategies(plan, { feature, environment, path: environmentPath });
    const changed = toState(state, environment, environmentPath);
    after.set(name, changed);
    const address = { project: target.project, feature, environment: name };
    if (!isEqualJson(state.variants, changed.variants)) {
      changes.events.push(toVariantsEvent(address, state.variants, changed.variants));
    }
    if (state.enabled !== changed.enabled) {
      changes.events.push(toSwitchEvent(address, changed.enabled));
    }
  }
  for (const [environment, state] of after) {
    if (isEqualJson(stored?.get(environment), state)) continue;
    changes.environments.push({ feature, environment, ...state });
  }
}

/** NOTE: variants that are absent from the file stay unchanged: files of earlier versions have none. */
function toState(
  before: FeatureEnvironmentState,
  { enabled, variants }: EnvironmentInFile,
  path: string,
): FeatureEnvironmentState {
  if (variants === undefined) return { ...before, enabled };
  const checked = withErrorPath(path, () => checkFlagVariants(variants, "/body/variants"));
  return { enabled, variants: checked };
}

function checkEnabled({ enabled, strategies }: EnvironmentInFile, path: string): void {
  if (!enabled || strategies.some(({ disabled }) => disabled !== true)) return;
  throw badData(`${path}/enabled`, "must be false without an enabled strategy");
}

interface TagsInFile {
  readonly tags: NonNullable<FeatureInFile["tags"]>;
  /** Path of the flag in the request. */
  readonly path: string;
}

function planTags(plan: ImportPlan, feature: string, { tags, path }: TagsInFile): void {
  const { target, changes } = plan;
  const existing = target.tagsOf.get(feature) ?? [];
  const existingKeys = new Set(existing.map(tagKey));
  const expected = new Map(tags.map(trimTag).map((tag) => [tagKey(tag), tag]));
  const added = [...expected].filter(([key]) => !existingKeys.has(key)).map(([, tag]) => tag);
  const removed = existing.filter((tag) => !expected.has(tagKey(tag)));

  for (const tag of added) checkTagType(plan, tag, path);
  for (const tag of added) planNewTag(plan, tag);
  changes.addedTags.push(...added.map(({ type, value }) => ({ feature, type, value })));
  changes.removedTags.push(...removed);
  const addEvent = (event: Pick<NewEvent, "after" | "before" | "type">): void => {
    changes.events.push({ project: target.project, feature, ...event });
  };
  for (const { type, value } of added) addEvent({ type: "feature-tagged", after: { type, value } });
  for (const { type, value } of removed) {
    addEvent({ type: "feature-untagged", before: { type, value } });
  }
}

function checkTagType({ target }: ImportPlan, { type }: TagName, path: string): void {
  if (target.tagTypes.has(type)) return;
  throw badData(path, `has a tag of an unknown type: ${JSON.stringify(type)}`);
}

/** Plans the creation of a tag, unless it exists or an earlier flag of the file creates it. */
function planNewTag(
  { target, changes, newTags }: ImportPlan,
  { type, value, color = null }: TagsInFile["tags"][number],
): void {
  const key = tagKey({ type, value });
  if (target.tags.has(key) || newTags.has(key)) return;
  newTags.add(key);
  changes.tags.push({ type, value, color });
  changes.events.push({ type: "tag-created", after: { type, value, color } });
}
