import { inArray } from "drizzle-orm";
import type { Dependency } from "../../domain/dependencies/store.ts";
import { examineSoon } from "../../domain/examine-soon.ts";
import type { FeatureEnvironmentKey } from "../../domain/feature-environment.ts";
import type { Feature } from "../../domain/feature.ts";
import { type StaleSnooze, toSnoozeColumns } from "../../domain/lifecycle/snooze.ts";
import type { Strategy } from "../../domain/strategies/find-strategies.ts";
import { type FeatureTag, linkTags, unlinkTags } from "../../domain/tags/feature-tags.ts";
import type { TagInput } from "../../domain/tags/schemas.ts";
import { batchesOf, type Database, excluded } from "../../storage/database.ts";
import type { Actor, NewEvent } from "../../storage/events.ts";
import {
  dependencies,
  featureEnvironments,
  features,
  tags,
} from "../../storage/schema/features.ts";
import { lifecycles } from "../../storage/schema/lifecycles.ts";
import { strategies, strategySegments } from "../../storage/schema/strategies.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import type { FeatureEnvironmentState, ImportTarget } from "./import-target.ts";

/** What a flag is snoozed to; null: it no longer is. */
interface Snoozing {
  readonly feature: string;
  readonly snooze: StaleSnooze | null;
}

interface FeatureEnvironment extends FeatureEnvironmentKey, FeatureEnvironmentState {}

/** The rows and events that an import will write. Rows are new or replace those with the same key. */
interface Changes {
  readonly features: Feature[];
  readonly environments: FeatureEnvironment[];
  readonly strategies: Strategy[];
  readonly removedStrategyIds: string[];
  /** Tags that do not exist yet. */
  readonly tags: TagInput[];
  readonly addedTags: FeatureTag[];
  readonly removedTags: FeatureTag[];
  readonly snoozes: Snoozing[];
  readonly dependencies: Dependency[];
  /** Names of flags whose dependency is removed. */
  readonly independentFeatures: string[];
  /** In the order in which they are recorded. */
  readonly events: NewEvent[];
}

/** The input of an import and the changes planned so far. */
export interface ImportPlan {
  readonly target: ImportTarget;
  readonly actor: Actor;
  readonly now: Date;
  readonly changes: Changes;
  /** Keys of the tags that the import creates, see `tagKey()`. */
  readonly newTags: Set<string>;
}

export function createImportPlan(target: ImportTarget, actor: Actor, now: Date): ImportPlan {
  return {
    target,
    actor,
    now,
    changes: {
      features: [],
      environments: [],
      strategies: [],
      removedStrategyIds: [],
      tags: [],
      addedTags: [],
      removedTags: [],
      snoozes: [],
      dependencies: [],
      independentFeatures: [],
      events: [],
    },
    newTags: new Set(),
  };
}

/** Writes the planned rows and records the events, in batches of many rows per statement. */
export async function writeChanges(
  { db, record }: WriteTransaction,
  changes: Changes,
): Promise<void> {
  await writeFeatures(db, changes);
  await writeStrategies(db, changes);
  await writeTags(db, changes);
  await writeSnoozes(db, changes);
  await writeDependencies(db, changes);
  for (const events of batchesOf(changes.events)) await record(...events);
}

async function writeFeatures(db: Database, changes: Changes): Promise<void> {
  for (const rows of batchesOf(changes.features)) {
    await db
      .insert(features)
      .values(rows)
      .onConflictDoUpdate({
        target: features.name,
        set: excluded(features, "type", "description", "stale", "impressionData"),
      });
  }
  for (const rows of batchesOf(changes.environments)) {
    await db
      .insert(featureEnvironments)
      .values(rows)
      .onConflictDoUpdate({
        target: [featureEnvironments.feature, featureEnvironments.environment],
        set: excluded(featureEnvironments, "enabled", "variants"),
      });
  }
}

async function writeStrategies(db: Database, changes: Changes): Promise<void> {
  for (const ids of batchesOf(changes.removedStrategyIds)) {
    await db.delete(strategies).where(inArray(strategies.id, ids));
  }
  for (const rows of batchesOf(changes.strategies)) {
    await db
      .insert(strategies)
      .values(rows.map(({ segments: _segments, ...row }) => row))
      .onConflictDoUpdate({
        target: strategies.id,
        set: excluded(
          strategies,
          "name",
          "title",
          "disabled",
          "parameters",
          "constraints",
          "variants",
          "sortOrder",
        ),
      });
    await writeSegments(db, rows);
  }
}

async function writeSegments(db: Database, rows: readonly Strategy[]): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await db.delete(strategySegments).where(inArray(strategySegments.strategy, ids));
  const links = rows.flatMap(({ id, segments }) =>
    segments.map((segment) => ({ strategy: id, segment })),
  );
  for (const batch of batchesOf(links)) await db.insert(strategySegments).values(batch);
}

async function writeTags(db: Database, changes: Changes): Promise<void> {
  await unlinkTags(db, changes.removedTags);
  for (const rows of batchesOf(changes.tags)) await db.insert(tags).values(rows);
  await linkTags(db, changes.addedTags);
}

/** NOTE: what a flag is snoozed to decides whether it is potentially stale, so flags are examined again. */
async function writeSnoozes(db: Database, changes: Changes): Promise<void> {
  for (const batch of batchesOf(changes.snoozes)) {
    await db
      .insert(lifecycles)
      .values(batch.map(({ feature, snooze }) => ({ feature, ...toSnoozeColumns(snooze) })))
      .onConflictDoUpdate({
        target: lifecycles.feature,
        set: excluded(lifecycles, "snoozedUntil", "isPermanent"),
      });
  }
  if (changes.snoozes.length > 0) await examineSoon(db);
}

async function writeDependencies(db: Database, changes: Changes): Promise<void> {
  for (const names of batchesOf(changes.independentFeatures)) {
    await db.delete(dependencies).where(inArray(dependencies.child, names));
  }
  for (const rows of batchesOf(changes.dependencies)) {
    await db
      .insert(dependencies)
      .values(rows)
      .onConflictDoUpdate({
        target: dependencies.child,
        set: excluded(dependencies, "parent", "enabled", "variants"),
      });
  }
}
