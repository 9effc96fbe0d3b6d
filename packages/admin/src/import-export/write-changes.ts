import { inArray, sql } from "drizzle-orm";
import { batchesOf, type Database } from "../storage/database.ts";
import { dependencies, featureEnvironments, features } from "../storage/schema/features.ts";
import { strategies, strategySegments } from "../storage/schema/strategies.ts";
import { featureTags, tags } from "../storage/schema/tags.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import type { StrategyWithSegments } from "../domain/strategies/find-strategies.ts";
import type { Changes, FeatureTag } from "./changes.ts";

/** Writes what was planned, many rows at a time, and records it. */
export async function writeChanges(
  { db, record }: WriteTransaction,
  changes: Changes,
): Promise<void> {
  await writeFeatures(db, changes);
  await writeStrategies(db, changes);
  await writeTags(db, changes);
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
        set: {
          type: sql`excluded.type`,
          description: sql`excluded.description`,
          stale: sql`excluded.stale`,
          impressionData: sql`excluded.impression_data`,
        },
      });
  }
  for (const rows of batchesOf(changes.environments)) {
    await db
      .insert(featureEnvironments)
      .values(rows)
      .onConflictDoUpdate({
        target: [featureEnvironments.feature, featureEnvironments.environment],
        set: { enabled: sql`excluded.enabled` },
      });
  }
}

async function writeStrategies(db: Database, changes: Changes): Promise<void> {
  for (const ids of batchesOf(changes.removedStrategies)) {
    await db.delete(strategies).where(inArray(strategies.id, ids));
  }
  for (const rows of batchesOf(changes.strategies)) {
    await db
      .insert(strategies)
      .values(rows.map(({ segments: _segments, ...row }) => row))
      .onConflictDoUpdate({
        target: strategies.id,
        set: {
          name: sql`excluded.name`,
          title: sql`excluded.title`,
          disabled: sql`excluded.disabled`,
          parameters: sql`excluded.parameters`,
          constraints: sql`excluded.constraints`,
          variants: sql`excluded.variants`,
        },
      });
    await writeSegments(db, rows);
  }
}

async function writeSegments(db: Database, rows: readonly StrategyWithSegments[]): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await db.delete(strategySegments).where(inArray(strategySegments.strategy, ids));
  const links = rows.flatMap(({ id, segments }) =>
    segments.map((segment) => ({ strategy: id, segment })),
  );
  for (const batch of batchesOf(links)) await db.insert(strategySegments).values(batch);
}

async function writeTags(db: Database, changes: Changes): Promise<void> {
  for (const rows of batchesOf(changes.removedTags)) await removeTags(db, rows);
  for (const rows of batchesOf(changes.tags)) await db.insert(tags).values(rows);
  for (const rows of batchesOf(changes.addedTags)) await db.insert(featureTags).values(rows);
}

function removeTags(db: Database, rows: readonly FeatureTag[]) {
  return db.execute(sql`
    delete from feature_tags where (feature, type, value) in (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as removed (
        "feature" text, "type" text, "value" text
      )
    )`);
}

async function writeDependencies(db: Database, changes: Changes): Promise<void> {
  for (const names of batchesOf(changes.freed)) {
    await db.delete(dependencies).where(inArray(dependencies.child, names));
  }
  for (const rows of batchesOf(changes.dependencies)) {
    await db
      .insert(dependencies)
      .values(rows)
      .onConflictDoUpdate({
        target: dependencies.child,
        set: {
          parent: sql`excluded.parent`,
          enabled: sql`excluded.enabled`,
          variants: sql`excluded.variants`,
        },
      });
  }
}
