import { inArray } from "drizzle-orm";
import type { Dependency } from "../domain/dependencies/dependency.ts";
import { countActive, type Feature, findFeatures } from "../domain/features/find-features.ts";
import { listFeatureEnvironments } from "../domain/features/read-feature.ts";
import { type Database, groupBy } from "../storage/database.ts";
import { LIMITS } from "../limits.ts";
import { listEnvironmentsOf } from "../domain/projects/find-projects.ts";
import type { Segment } from "../domain/segments/find-segments.ts";
import { dependencies } from "../storage/schema/features.ts";
import { featureTags, tags, tagTypes } from "../storage/schema/tags.ts";
import { readStrategyContext, type StrategyContext } from "../domain/strategies/check-strategy.ts";
import {
  listStrategiesOf,
  type StrategyWithSegments,
} from "../domain/strategies/find-strategies.ts";
import type { TagName } from "../domain/tags/link-tags.ts";
import type { FeatureTag } from "./changes.ts";
import { findSegmentsByName } from "./import-needs.ts";
import type { FeatureInFile } from "./schemas.ts";

/** What an import comes upon: all that its features are or refer to. */
export interface ImportTarget {
  readonly project: string;
  /** Names, in their order. */
  readonly environments: readonly string[];
  /** How many more features there may be. */
  readonly room: number;
  /** Those that the file names, also as parents; archived ones too. */
  readonly features: ReadonlyMap<string, Feature>;
  /** Whether features are on, by their name and by that of the environment. */
  readonly enabled: ReadonlyMap<string, ReadonlyMap<string, boolean>>;
  /** By `placeOf()`. */
  readonly strategies: ReadonlyMap<string, readonly StrategyWithSegments[]>;
  readonly segments: ReadonlyMap<string, Segment>;
  readonly strategyContext: StrategyContext;
  readonly tagsOf: ReadonlyMap<string, readonly FeatureTag[]>;
  readonly tagTypes: ReadonlySet<string>;
  /** By `tagKey()`. */
  readonly tags: ReadonlySet<string>;
  readonly dependencies: readonly Dependency[];
}

/** Names have no slash. */
export function placeOf(feature: string, environment: string): string {
  return `${feature}/${environment}`;
}

/** Types have no colon. */
export function tagKey({ type, value }: TagName): string {
  return `${type}:${value}`;
}

/** Reads with a few statements what an import needs to know, however many features it has. */
export async function readImportTarget(
  db: Database,
  project: string,
  inFile: readonly FeatureInFile[],
): Promise<ImportTarget> {
  const names = inFile.map(({ name }) => name);
  const parents = inFile.flatMap((feature) => feature.dependencies ?? []);
  const features = await findFeatures(db, [...names, ...parents.map(({ feature }) => feature)]);
  return {
    project,
    environments: await listEnvironmentsOf(db, project),
    room: LIMITS.features - (await countActive(db)),
    features: new Map(features.map((feature) => [feature.name, feature])),
    enabled: await readEnabled(db, names),
    strategies: groupBy(await listStrategiesOf(db, names), (row) =>
      placeOf(row.feature, row.environment),
    ),
    ...(await readStrategyNeeds(db, project, inFile)),
    ...(await readTagNeeds(db, names)),
    dependencies: await db.select().from(dependencies),
  };
}

async function readEnabled(db: Database, names: readonly string[]) {
  const rows = names.length === 0 ? [] : await listFeatureEnvironments(db, names);
  const byFeature = groupBy(rows, ({ feature }) => feature);
  return new Map(
    [...byFeature].map(([feature, places]) => [
      feature,
      new Map(places.map(({ name, enabled }) => [name, enabled])),
    ]),
  );
}

async function readStrategyNeeds(db: Database, project: string, inFile: readonly FeatureInFile[]) {
  const strategies = inFile
    .flatMap(({ environments = [] }) => environments)
    .flatMap((environment) => environment.strategies);
  const segments = await findSegmentsByName(
    db,
    strategies.flatMap((strategy) => strategy.segments ?? []),
  );
  const bodies = strategies.map((strategy) => ({
    ...strategy,
    segments: (strategy.segments ?? []).flatMap((name) => segments.get(name)?.id ?? []),
  }));
  return { segments, strategyContext: await readStrategyContext(db, project, bodies) };
}

async function readTagNeeds(db: Database, names: string[]) {
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
