import { createFeature } from "../features/create-feature.ts";
import { findFeature } from "../features/find-features.ts";
import { setEnabled } from "../features/is-enabled.ts";
import { updateFeature } from "../features/update-feature.ts";
import { badData } from "../errors.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { listStrategies } from "../strategies/find-strategies.ts";
import { requirePlace, type StrategyPlace } from "../strategies/place.ts";
import { addStrategy, deleteStrategy, replaceStrategy } from "../strategies/write-strategies.ts";
import { changeTags, listTagsOf } from "../tags/feature-tags.ts";
import { atPath } from "./at-path.ts";
import { refuseRepetition } from "./import-needs.ts";
import type { EnvironmentInFile, FeatureInFile, StrategyInFile } from "./schemas.ts";

/** Finds the id of a segment by its name; undefined when there is none. */
export type SegmentIdOf = (name: string) => number | undefined;

interface Target {
  readonly project: string;
  /** Where the feature is in the file, such as `/body/features/3`. */
  readonly path: string;
  readonly segmentIdOf: SegmentIdOf;
}

/**
 * Makes a feature what the file says; parts that the file does not speak of stay. Whether it depends
 * on others is not looked at.
 */
export async function importFeature(
  transaction: WriteTransaction,
  feature: FeatureInFile,
  target: Target,
): Promise<void> {
  const { path, project } = target;
  await atPath(path, () => importItself(transaction, project, feature));
  const environments = feature.environments ?? [];
  refuseRepetition(environments, `${path}/environments`);
  for (const [index, environment] of environments.entries()) {
    const place = { project, feature: feature.name, environment: environment.name };
    await importEnvironment(transaction, environment, {
      place,
      path: `${path}/environments/${index}`,
      segmentIdOf: target.segmentIdOf,
    });
  }
}

async function importItself(
  transaction: WriteTransaction,
  project: string,
  { name, type, description, stale, impressionData, tags }: FeatureInFile,
): Promise<void> {
  const columns = {
    ...(type !== undefined && { type }),
    ...(description !== undefined && { description }),
    ...(impressionData !== undefined && { impressionData }),
  };
  const isNew = (await findFeature(transaction.db, name)) === undefined;
  if (isNew) await createFeature(transaction, project, { name, ...columns });
  if (!isNew || stale === true) {
    await updateFeature(
      transaction,
      { project, feature: name },
      { ...columns, ...(stale !== undefined && { stale }) },
    );
  }
  if (tags !== undefined) await replaceTags(transaction, name, tags);
}

async function replaceTags(
  transaction: WriteTransaction,
  feature: string,
  wanted: NonNullable<FeatureInFile["tags"]>,
): Promise<void> {
  const existing = await listTagsOf(transaction.db, feature);
  await changeTags(transaction, feature, {
    addedTags: wanted.filter((tag) => !holds(existing, tag)),
    removedTags: existing.filter((tag) => !holds(wanted, tag)),
  });
}

interface TagName {
  readonly type: string;
  readonly value: string;
}

function holds(tags: readonly TagName[], { type, value }: TagName): boolean {
  return tags.some((tag) => tag.type === type && tag.value === value);
}

interface EnvironmentTarget extends Pick<Target, "path" | "segmentIdOf"> {
  readonly place: StrategyPlace;
}

async function importEnvironment(
  transaction: WriteTransaction,
  { enabled, strategies }: EnvironmentInFile,
  { place, path, segmentIdOf }: EnvironmentTarget,
): Promise<void> {
  await atPath(`${path}/name`, () => requirePlace(transaction.db, place));
  if (enabled && strategies.every(({ disabled }) => disabled === true)) {
    throw badData(`${path}/enabled`, "must be false without a strategy that is not disabled");
  }
  const existing = await listStrategies(transaction.db, place);
  for (const [index, strategy] of strategies.entries()) {
    const strategyPath = `${path}/strategies/${index}`;
    const body = toStrategyBody(strategy, { path: strategyPath, segmentIdOf });
    const id = existing[index]?.id;
    await atPath(strategyPath, () =>
      id === undefined
        ? addStrategy(transaction, place, body)
        : replaceStrategy(transaction, { ...place, id }, body),
    );
  }
  for (const { id } of existing.slice(strategies.length)) {
    await deleteStrategy(transaction, { ...place, id });
  }
  await setEnabled(transaction, place, enabled);
}

function toStrategyBody(
  { segments = [], title = null, disabled = false, ...strategy }: StrategyInFile,
  { path, segmentIdOf }: Pick<Target, "path" | "segmentIdOf">,
) {
  const ids = segments.map((name, index) => {
    const id = segmentIdOf(name);
    if (id !== undefined) return id;
    throw badData(
      `${path}/segments/${index}`,
      `names a segment that does not exist: ${JSON.stringify(name)}`,
    );
  });
  return { ...strategy, title, disabled, segments: ids };
}
