import { inArray } from "drizzle-orm";
import type { Dependency } from "../../domain/dependencies/store.ts";
import { countActiveFeatures, type Feature, findFeatures } from "../../domain/feature.ts";
import { listFeatureEnvironments } from "../../domain/features/read-feature.ts";
import { readSnoozes, type StaleSnooze } from "../../domain/lifecycle/snooze.ts";
import { type AcceptsName, compileFeatureNaming } from "../../domain/projects/feature-naming.ts";
import { getProject, listProjectEnvironments } from "../../domain/projects/store.ts";
import type { Segment } from "../../domain/segments/store.ts";
import {
  readStrategyContext,
  type StrategyContext,
} from "../../domain/strategies/check-strategy.ts";
import { listStrategiesOf, type Strategy } from "../../domain/strategies/find-strategies.ts";
import type { FeatureTag } from "../../domain/tags/feature-tags.ts";
import { tagKey } from "../../domain/tags/store.ts";
import { type Database, groupBy } from "../../storage/database.ts";
import { LIMITS } from "../../limits.ts";
import type { FeatureNaming, StoredFlagVariant } from "../../storage/schema/json-values.ts";
import { dependencies, featureTags, tags, tagTypes } from "../../storage/schema/features.ts";
import { readSegmentsByName } from "./import-references.ts";
import type { FeatureInFile } from "./schemas.ts";

/** The state of a flag in one environment. */
export interface FeatureEnvironmentState {
  readonly enabled: boolean;
  readonly variants: readonly StoredFlagVariant[];
}

/** The stored state of the flags in an import file, and of the definitions that they refer to. */
export interface ImportTarget {
  readonly project: string;
  /** The rule for names of new flags. */
  readonly featureNaming: FeatureNaming | null;
  readonly acceptsName: AcceptsName;
  /** Names of the environments of the project, in order. */
  readonly environments: readonly string[];
  /** Number of active flags that may still be created. */
  readonly remainingFeatures: number;
  /** The flags and parents in the file by name, archived or not. */
  readonly features: ReadonlyMap<string, Feature>;
  /** By flag and environment. */
  readonly states: ReadonlyMap<string, ReadonlyMap<string, FeatureEnvironmentState>>;
  /** By `environmentKey()`. */
  readonly strategies: ReadonlyMap<string, readonly Strategy[]>;
  /** By name. */
  readonly segments: ReadonlyMap<string, Segment>;
  readonly strategyContext: StrategyContext;
  /** By flag. */
  readonly tagsOf: ReadonlyMap<string, readonly FeatureTag[]>;
  /** By flag. */
  readonly snoozes: ReadonlyMap<string, StaleSnooze>;
  /** Names of all tag types. */
  readonly tagTypes: ReadonlySet<string>;
  /** Keys of all tags, see `tagKey()`. */
  readonly tags: ReadonlySet<string>;
  readonly dependencies: readonly Dependency[];
}

/** Creates a key for a flag in one environment. Names contain no slash, so the key is unique. */
export function environmentKey(feature: string, environment: string): string {
  return `${feature}/${environment}`;
}

/** Reads the stored state with a fixed number of statements, regardless of the size of the file. */
export async function readImportTarget(
  db: Database,
  project: string,
  inFile: readonly FeatureInFile[],
): Promise<ImportTarget> {
  const names = inFile.map(({ name }) => name);
  const parents = inFile.flatMap((feature) => feature.dependencies ?? []);
  const features = await findFeatures(db, [...names, ...parents.map(({ feature }) => feature)]);
  const { featureNaming } = await getProject(db, project);
  return {
    project,
    featureNaming,
    acceptsName: compileFeatureNaming(featureNaming),
    environments: await listProjectEnvironments(db, project),
    remainingFeatures: LIMITS.features - (await countActiveFeatures(db)),
    features: new Map(features.map((feature) => [feature.name, feature])),
    states: await readStates(db, names),
    strategies: groupBy(await listStrategiesOf(db, names), (row) =>
      environmentKey(row.feature, row.environment),
    ),
    ...(await readStrategyReferences(db, project, inFile)),
    ...(await readTags(db, names)),
    snoozes: await readSnoozes(db, names),
    dependencies: await db.select().from(dependencies),
  };
}

async function readStates(db: Database, names: readonly string[]) {
  const rows = names.length === 0 ? [] : await listFeatureEnvironments(db, names);
  const byFeature = groupBy(rows, ({ feature }) => feature);
  return new Map(
    [...byFeature].map(([feature, environments]) => [
      feature,
      new Map(environments.map(({ name, enabled, variants }) => [name, { enabled, variants }])),
    ]),
  );
}

async function readStrategyReferences(
  db: Database,
  project: string,
  inFile: readonly FeatureInFile[],
) {
  const strategies = inFile
    .flatMap(({ environments = [] }) => environments)
    .flatMap((environment) => environment.strategies);
  const segments = await readSegmentsByName(
    db,
    strategies.flatMap((strategy) => strategy.segments ?? []),
  );
  const bodies = strategies.map((strategy) => ({
    ...strategy,
    segments: (strategy.segments ?? []).flatMap((name) => segments.get(name)?.id ?? []),
  }));
  return { segments, strategyContext: await readStrategyContext(db, project, bodies) };
}

async function readTags(db: Database, names: string[]) {
  const ofFeatures =
    names.length === 0
      ? []
      : await db
          .select({
            feature: featureTags.feature,
            type: featureTags.type,
            value: featureTags.value,
          })
          .from(featureTags)
          .where(inArray(featureTags.feature, names));
  const types = await db.select({ name: tagTypes.name }).from(tagTypes);
  const known = await db.select({ type: tags.type, value: tags.value }).from(tags);
  return {
    tagsOf: groupBy(ofFeatures, ({ feature }) => feature),
    tagTypes: new Set(types.map(({ name }) => name)),
    tags: new Set(known.map(tagKey)),
  };
}
