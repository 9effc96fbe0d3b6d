import { and, eq, gt, isNull, max, notInArray, or } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { EventType } from "../storage/events.ts";
import { type Database, groupBy, isOneOf, orderByText } from "../storage/database.ts";
import { events } from "../storage/schema/events.ts";
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
import type { EnvironmentState, FeatureEntry, SegmentEntry } from "./environment-state.ts";

/**
 * Loads everything that SDKs may read of an environment. Must run in one transaction.
 *
 * @param names the only flags to load, with the segments that they refer to. @default all flags and segments
 */
export async function loadEnvironment(
  db: Database,
  environment: string,
  revision: number,
  names?: readonly string[],
): Promise<EnvironmentState> {
  const loaded = await loadFeatures(db, environment, names);
  const segmentIds = names && loaded.flatMap((entry) => [...entry.segmentIds]);
  return { revision, features: loaded, segments: await loadSegments(db, segmentIds) };
}

async function loadFeatures(
  db: Database,
  environment: string,
  names: readonly string[] | undefined,
): Promise<readonly FeatureEntry[]> {
  const rows = await selectFeatureRows(db, environment, names);
  const strategiesOf = await loadStrategies(db, environment, names);
  const dependenciesOf = await loadDependencies(db);
  const tagsOf = await loadTags(db);
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

function selectFeatureRows(
  db: Database,
  environment: string,
  names: readonly string[] | undefined,
) {
  return db
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
    .where(
      and(
        eq(featureEnvironments.environment, environment),
        isNull(features.archivedAt),
        unlessAll(features.name, names),
      ),
    )
    .orderBy(orderByText(features.name));
}

function unlessAll(column: PgColumn, values: readonly (number | string)[] | undefined) {
  return values && isOneOf(column, values);
}

async function loadStrategies(
  db: Database,
  environment: string,
  names: readonly string[] | undefined,
) {
  const isLoaded = and(
    eq(strategies.environment, environment),
    unlessAll(strategies.feature, names),
  );
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

async function loadDependencies(db: Database): Promise<ReadonlyMap<string, ClientDependency[]>> {
  const rows = await db.select().from(dependencies).orderBy(orderByText(dependencies.parent));
  const byChild = groupBy(rows, ({ child }) => child);
  return new Map([...byChild].map(([child, ofChild]) => [child, ofChild.map(toClientDependency)]));
}

function toClientDependency(row: typeof dependencies.$inferSelect): ClientDependency {
  const { parent, enabled, variants } = row;
  const names = enabled && variants.length > 0 ? { variants } : {};
  return { feature: parent, enabled, ...names };
}

async function loadTags(db: Database): Promise<ReadonlyMap<string, string[]>> {
  const byFeature = groupBy(await db.select().from(featureTags), ({ feature }) => feature);
  return new Map(
    [...byFeature].map(([feature, rows]) => [
      feature,
      rows.map(({ type, value }) => `${type}:${value}`),
    ]),
  );
}

async function loadSegments(
  db: Database,
  ids: readonly number[] | undefined,
): Promise<ReadonlyMap<number, SegmentEntry>> {
  const rows: ClientSegment[] = await db
    .select({ id: segments.id, name: segments.name, constraints: segments.constraints })
    .from(segments)
    .where(unlessAll(segments.id, ids))
    .orderBy(segments.id);
  return new Map(
    rows.map((segment) => [segment.id, { segment, text: JSON.stringify(segment) }] as const),
  );
}

/** Whether an event of each type can change what SDKs read. */
const CHANGES_DEFINITIONS: Readonly<Record<EventType, boolean>> = {
  "api-token-created": false,
  "api-token-deleted": false,
  "api-token-updated": false,
  "application-deleted": false,
  "context-field-created": false,
  "context-field-deleted": false,
  "context-field-updated": false,
  "environment-created": false,
  "environment-deleted": false,
  "environment-disabled": false,
  "environment-enabled": false,
  "environment-updated": false,
  "feature-archived": true,
  "feature-created": true,
  "feature-deleted": true,
  "feature-dependencies-removed": true,
  "feature-dependency-added": true,
  "feature-dependency-removed": true,
  "feature-environment-disabled": true,
  "feature-environment-enabled": true,
  "feature-environment-variants-updated": true,
  "feature-metadata-updated": true,
  "feature-revived": true,
  "feature-stale-off": true,
  "feature-stale-on": true,
  "feature-strategy-add": true,
  "feature-strategy-remove": true,
  "feature-strategy-update": true,
  "feature-tagged": true,
  "feature-untagged": true,
  "features-imported": true,
  "project-archived": false,
  "project-created": false,
  "project-deleted": false,
  "project-environment-added": true,
  "project-environment-removed": true,
  "project-revived": false,
  "project-updated": false,
  "segment-created": true,
  "segment-deleted": true,
  "segment-updated": true,
  "strategy-created": false,
  "strategy-deleted": false,
  "strategy-order-changed": true,
  "strategy-updated": false,
  "tag-created": false,
  "tag-deleted": true,
  "tag-type-created": false,
  "tag-type-deleted": true,
  "tag-type-updated": false,
};

const EVENTS_SDKS_IGNORE = (Object.keys(CHANGES_DEFINITIONS) as EventType[]).filter(
  (type) => !CHANGES_DEFINITIONS[type],
);

/**
 * Returns the latest revision after `since` that changed what SDKs read of an environment; undefined
 * if no revision changed it.
 */
export async function findRelevantRevision(
  db: Database,
  environment: string,
  since: number,
): Promise<number | undefined> {
  const [row] = await db
    .select({ revision: max(events.id) })
    .from(events)
    .where(
      and(
        gt(events.id, since),
        notInArray(events.type, EVENTS_SDKS_IGNORE),
        or(isNull(events.environment), eq(events.environment, environment)),
      ),
    );
  return row?.revision ?? undefined;
}
