import { and, eq } from "drizzle-orm";
import { badData, notFound } from "../../errors.ts";
import { findFeature, findFeatures, quoteNames, type Feature } from "../features/find-features.ts";
import { getActiveProject } from "../projects/find-projects.ts";
import type { Database } from "../../storage/database.ts";
import { featureTags, tags } from "../../storage/schema/tags.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { ensureTags } from "./ensure-tags.ts";
import { linkTags, unlinkTag, type TagName } from "./link-tags.ts";
import type { TagChanges, TagInput } from "./schemas.ts";

/**
 * @throws {ApiError} when there is no flag of that name
 */
export async function listTagsOf(db: Database, feature: string) {
  const { name } = await getFeatureByName(db, feature);
  return db
    .select({ type: tags.type, value: tags.value, color: tags.color })
    .from(featureTags)
    .innerJoin(tags, and(eq(tags.type, featureTags.type), eq(tags.value, featureTags.value)))
    .where(eq(featureTags.feature, name))
    .orderBy(tags.type, tags.value);
}

export async function addTag(
  transaction: WriteTransaction,
  feature: string,
  tag: TagInput,
): Promise<void> {
  const found = await getFeatureByName(transaction.db, feature);
  await change(transaction, found, { addedTags: [tag], removedTags: [] });
}

export async function removeTag(
  transaction: WriteTransaction,
  feature: string,
  tag: TagName,
): Promise<void> {
  const found = await getFeatureByName(transaction.db, feature);
  await change(transaction, found, { addedTags: [], removedTags: [tag] });
}

export async function changeTags(
  transaction: WriteTransaction,
  feature: string,
  changes: TagChanges,
): Promise<void> {
  await change(transaction, await getFeatureByName(transaction.db, feature), changes);
}

/** The same for several flags of a project, all or nothing. Names without a flag are passed over. */
export async function changeTagsOfMany(
  transaction: WriteTransaction,
  project: string,
  { features, tags: changes }: { readonly features: readonly string[]; readonly tags: TagChanges },
): Promise<void> {
  await getActiveProject(transaction.db, project);
  const found = await findFeatures(transaction.db, features);
  const foreign = found.filter((feature) => feature.project !== project);
  if (foreign.length > 0) {
    throw badData("/body/features", `holds features of another project: ${quoteNames(foreign)}`);
  }
  for (const feature of found) await change(transaction, feature, changes);
}

async function getFeatureByName(db: Database, name: string): Promise<Feature> {
  const feature = await findFeature(db, name);
  if (feature === undefined) throw notFound(`There is no feature ${JSON.stringify(name)}`);
  return feature;
}

async function change(
  transaction: WriteTransaction,
  { name, project }: Feature,
  { addedTags, removedTags }: TagChanges,
): Promise<void> {
  const { db, record } = transaction;
  await ensureTags(transaction, addedTags);
  const added = await linkTags(db, name, addedTags);
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
