import { and, eq } from "drizzle-orm";
import { badData } from "../../errors.ts";
import type { Database } from "../../storage/database.ts";
import { featureTags, tags } from "../../storage/schema/tags.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { type Feature, findFeatures, getFeatureByName, quoteNames } from "../feature.ts";
import { getActiveProject } from "../projects/store.ts";
import type { TagChanges } from "./schemas.ts";
import { ensureTags, type TagName, trimTag } from "./store.ts";

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
    .orderBy(tags.type, tags.value);
}

/** Adds and removes tags of a flag. Added tags are created if they do not exist. */
export async function changeTags(
  transaction: WriteTransaction,
  feature: string,
  changes: TagChanges,
): Promise<void> {
  await change(transaction, await getFeatureByName(transaction.db, feature), changes);
}

/** Changes the tags of several flags of a project: all of them or none. Unknown names are ignored. */
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
  for (const feature of found) await change(transaction, feature, changes);
}

async function change(
  transaction: WriteTransaction,
  { name, project }: Feature,
  { addedTags, removedTags }: TagChanges,
): Promise<void> {
  const { db, record } = transaction;
  const tagsToAdd = addedTags.map(trimTag);
  await ensureTags(transaction, tagsToAdd);
  const added = await linkTags(db, name, tagsToAdd);
  await record(
    ...added.map((tag) => ({
      type: "feature-tagged" as const,
      project,
      feature: name,
      after: tag,
    })),
  );
  for (const { type, value } of removedTags) {
    if (!(await unlinkTag(db, name, { type, value }))) continue;
    await record({ type: "feature-untagged", project, feature: name, before: { type, value } });
  }
}

/** Adds existing tags to a flag. Returns the tags that the flag did not have before. */
export async function linkTags(
  db: Database,
  feature: string,
  tags: readonly TagName[],
): Promise<readonly TagName[]> {
  if (tags.length === 0) return [];
  return db
    .insert(featureTags)
    .values(tags.map(({ type, value }) => ({ feature, type, value })))
    .onConflictDoNothing()
    .returning({ type: featureTags.type, value: featureTags.value });
}

/** Removes a tag from a flag. Returns whether the flag had it. */
async function unlinkTag(
  db: Database,
  feature: string,
  { type, value }: TagName,
): Promise<boolean> {
  const removed = await db
    .delete(featureTags)
    .where(
      and(
        eq(featureTags.feature, feature),
        eq(featureTags.type, type),
        eq(featureTags.value, value),
      ),
    )
    .returning({ type: featureTags.type });
  return removed.length > 0;
}
