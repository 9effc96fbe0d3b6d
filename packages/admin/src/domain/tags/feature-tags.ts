import { and, eq, sql } from "drizzle-orm";
import { badData, quoteNames } from "../../errors.ts";
import { batchesOf, type Database, orderByText, rowsOf } from "../../storage/database.ts";
import { featureTags, tags } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { findFeatures, getFeatureByName } from "../feature.ts";
import { getActiveProject } from "../projects/store.ts";
import type { TagChanges } from "./schemas.ts";
import { ensureTags, tagKey, type TagName, trimTag } from "./store.ts";

/** A tag of a flag. */
export interface FeatureTag extends TagName {
  readonly feature: string;
}

/** How many tags one request can add to and remove from flags: flags, times tags. */
const MAX_CHANGES = 10_000;

/**
 * @throws {ApiError} if the flag does not exist
 */
export async function listFeatureTags(db: Database, feature: string) {
  const { name } = await getFeatureByName(db, feature);
  return db
    .select({ type: tags.type, value: tags.value, color: tags.color })
    .from(featureTags)
    .innerJoin(tags, and(eq(tags.type, featureTags.type), eq(tags.value, featureTags.value)))
    .where(eq(featureTags.feature, name))
    .orderBy(orderByText(tags.type), orderByText(tags.value));
}

/** Adds and removes tags of a flag. Added tags are created if they do not exist. */
export async function changeTags(
  transaction: WriteTransaction,
  feature: string,
  changes: TagChanges,
): Promise<void> {
  const { name, project } = await getFeatureByName(transaction.db, feature);
  await change(transaction, project, [name], changes);
}

/**
 * Changes the tags of several flags of a project: all of them or none. Unknown names are ignored.
 *
 * @throws {ApiError} if the project is unknown or archived, a flag belongs to another project, or there are too
 *   many changes
 */
export async function changeTagsInBulk(
  transaction: WriteTransaction,
  project: string,
  { features, tags: changes }: { readonly features: readonly string[]; readonly tags: TagChanges },
): Promise<void> {
  await getActiveProject(transaction.db, project);
  const found = await findFeatures(transaction.db, features);
  const foreign = found.filter((feature) => feature.project !== project);
  if (foreign.length > 0) {
    throw badData(
      "/body/features",
      `contains flags of another project: ${quoteNames(foreign.map(({ name }) => name))}`,
    );
  }
  const { addedTags, removedTags } = changes;
  if (found.length * (addedTags.length + removedTags.length) > MAX_CHANGES) {
    throw badData(
      "/body/tags",
      `must change at most ${MAX_CHANGES} tags of all flags together: send fewer flags or tags`,
    );
  }
  const names = found.map(({ name }) => name);
  if (names.length > 0) await change(transaction, project, names, changes);
}

async function change(
  transaction: WriteTransaction,
  project: string,
  features: readonly string[],
  { addedTags, removedTags }: TagChanges,
): Promise<void> {
  const { db, record } = transaction;
  const tagsToAdd = addedTags.map(trimTag);
  await ensureTags(transaction, tagsToAdd);
  const added = await linkTags(db, combine(features, tagsToAdd));
  await record(
    ...added.map(({ feature, type, value }) => ({
      type: "feature-tagged" as const,
      project,
      feature,
      after: { type, value },
    })),
  );
  const removed = await unlinkTags(db, combine(features, removedTags));
  await record(
    ...removed.map(({ feature, type, value }) => ({
      type: "feature-untagged" as const,
      project,
      feature,
      before: { type, value },
    })),
  );
}

function combine(features: readonly string[], tagNames: readonly TagName[]): FeatureTag[] {
  return features.flatMap((feature) =>
    tagNames.map(({ type, value }) => ({ feature, type, value })),
  );
}

/** Adds existing tags to flags. Returns the tags that the flags did not have before. */
export async function linkTags(
  db: Database,
  links: readonly FeatureTag[],
): Promise<readonly FeatureTag[]> {
  const added: FeatureTag[] = [];
  for (const rows of batchesOf(links)) {
    const inserted = await db.insert(featureTags).values(rows).onConflictDoNothing().returning();
    added.push(...inserted);
  }
  return added;
}

/** Removes tags from flags. Returns the tags that the flags had, in the same order. */
export async function unlinkTags(
  db: Database,
  links: readonly FeatureTag[],
): Promise<readonly FeatureTag[]> {
  const removed = new Set<string>();
  for (const rows of batchesOf(links)) {
    const deleted = await db.execute(sql`
      delete from feature_tags where (feature, type, value) in (
        select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as removed (
          "feature" text, "type" text, "value" text
        )
      ) returning feature || '/' || type || ':' || value as key`);
    for (const { key } of rowsOf(deleted)) removed.add(String(key));
  }
  // NOTE: `delete` also leaves out a tag that is listed twice.
  return links.filter((link) => removed.delete(`${link.feature}/${tagKey(link)}`));
}
