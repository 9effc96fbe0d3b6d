import { and, eq, isNull, type SQL } from "drizzle-orm";
import { type Database, groupBy, isOneOf, orderByText } from "../storage/database.ts";
import {
  dependencies,
  featureEnvironments,
  features,
  featureTags,
} from "../storage/schema/features.ts";
import {
  segments,
  strategies,
  STRATEGY_ORDER,
  strategySegments,
} from "../storage/schema/strategies.ts";
import {
  type ClientDependency,
  type ClientSegment,
  toClientFeature,
  toClientStrategy,
} from "./client-feature.ts";
import type { FeatureEntry, SegmentEntry } from "./environment-state.ts";

/** Lists the names of the flags that SDKs may read in an environment. */
export async function listFlagNames(
  db: Database,
  environment: string,
  project?: string,
): Promise<readonly string[]> {
  const inProject = project === undefined ? undefined : eq(features.project, project);
  const rows = await db
    .select({ name: features.name })
    .from(features)
    .innerJoin(featureEnvironments, eq(featureEnvironments.feature, features.name))
    .where(and(isReadable(environment), inProject));
  return rows.map(({ name }) => name);
}

function isReadable(environment: string): SQL | undefined {
  return and(eq(featureEnvironments.environment, environment), isNull(features.archivedAt));
}

export async function listSegmentIds(db: Database): Promise<readonly number[]> {
  const rows = await db.select({ id: segments.id }).from(segments);
  return rows.map(({ id }) => id);
}

/**
 * Loads flags as SDKs receive them. Those that SDKs may not read in the environment are omitted. Must run in one
 * transaction, like all functions here.
 */
export async function loadFlags(
  db: Database,
  environment: string,
  names: readonly string[],
): Promise<readonly FeatureEntry[]> {
  if (names.length === 0) return [];
  const rows = await db
    .select({
      name: features.name,
      type: features.type,
      enabled: featureEnvironments.enabled,
      project: features.project,
      stale: features.stale,
      description: features.description,
      impressionData: features.impressionData,
      variants: featureEnvironments.variants,
    })
    .from(features)
    .innerJoin(featureEnvironments, eq(featureEnvironments.feature, features.name))
    .where(and(isReadable(environment), isOneOf(features.name, names)));
  const strategiesOf = await loadStrategies(db, environment, names);
  const dependenciesOf = await loadDependencies(db, names);
  const tagsOf = await loadTags(db, names);
  return rows.map((row) => {
    const feature = toClientFeature(
      row,
      strategiesOf.get(row.name) ?? [],
      dependenciesOf.get(row.name) ?? [],
    );
    return {
      feature,
      text: JSON.stringify(feature),
      tags: new Set(tagsOf.get(row.name)),
      segmentIds: new Set(feature.strategies.flatMap((strategy) => strategy.segments ?? [])),
    };
  });
}

async function loadStrategies(db: Database, environment: string, names: readonly string[]) {
  const isLoaded = and(eq(strategies.environment, environment), isOneOf(strategies.feature, names));
  const links = await db
    .select({ strategy: strategySegments.strategy, segment: strategySegments.segment })
    .from(strategySegments)
    .innerJoin(strategies, eq(strategies.id, strategySegments.strategy))
    .where(isLoaded)
    .orderBy(strategySegments.segment);
  const segmentsOf = groupBy(links, (link) => link.strategy);
  const rows = await db
    .select()
    .from(strategies)
    .where(isLoaded)
    .orderBy(...STRATEGY_ORDER);
  return groupBy(
    rows.map((row) => ({
      feature: row.feature,
      disabled: row.disabled,
      strategy: toClientStrategy(
        row,
        (segmentsOf.get(row.id) ?? []).map(({ segment }) => segment),
      ),
    })),
    ({ feature }) => feature,
  );
}

async function loadDependencies(
  db: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, ClientDependency[]>> {
  const rows = await db
    .select()
    .from(dependencies)
    .where(isOneOf(dependencies.child, names))
    .orderBy(orderByText(dependencies.parent));
  const byChild = groupBy(rows, ({ child }) => child);
  return new Map([...byChild].map(([child, ofChild]) => [child, ofChild.map(toClientDependency)]));
}

function toClientDependency(row: typeof dependencies.$inferSelect): ClientDependency {
  const { parent, enabled, variants } = row;
  const names = enabled && variants.length > 0 ? { variants } : {};
  return { feature: parent, enabled, ...names };
}

async function loadTags(
  db: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  const rows = await db.select().from(featureTags).where(isOneOf(featureTags.feature, names));
  return new Map(
    [...groupBy(rows, ({ feature }) => feature)].map(([feature, ofFeature]) => [
      feature,
      ofFeature.map(({ type, value }) => `${type}:${value}`),
    ]),
  );
}

/** How many segments to load at once: each has up to 1 MiB. */
export const SEGMENTS_PER_BATCH = 5;

/** Loads segments as SDKs receive them. Unknown ids are omitted. */
export async function loadSegments(
  db: Database,
  ids: readonly number[],
): Promise<readonly SegmentEntry[]> {
  if (ids.length === 0) return [];
  const rows: ClientSegment[] = await db
    .select({ id: segments.id, name: segments.name, constraints: segments.constraints })
    .from(segments)
    .where(isOneOf(segments.id, ids));
  return rows.map((segment) => ({ segment, text: JSON.stringify(segment) }));
}
