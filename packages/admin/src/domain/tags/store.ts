import { and, eq, inArray } from "drizzle-orm";
import { type ProjectAccess, requireChangeable } from "../../access/project-access.ts";
import { badData, nameExists, notFound } from "../../errors.ts";
import { type Database, orderByText } from "../../storage/database.ts";
import { features, featureTags, tags, tagTypes } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import type { TagInput } from "./schemas.ts";

/** Identifies a tag. */
export interface TagName {
  readonly type: string;
  readonly value: string;
}

/** Creates a key for a tag. Types contain no colon, so the key is unique. */
export function tagKey({ type, value }: TagName): string {
  return `${type}:${value}`;
}

/** Removes white space around the value, so that no two tags look the same. */
export function trimTag<Tag extends TagName>(tag: Tag): Tag {
  return { ...tag, value: tag.value.trim() };
}

const columns = { type: tags.type, value: tags.value, color: tags.color };

/** Lists the tags of a type, or all tags if none is given. */
export function listTags(db: Database, type?: string) {
  return db
    .select(columns)
    .from(tags)
    .where(type === undefined ? undefined : eq(tags.type, type))
    .orderBy(orderByText(tags.type), orderByText(tags.value));
}

/**
 * @throws {ApiError} if the tag does not exist
 */
export async function getTag(db: Database, { type, value }: TagName) {
  const tag = await findTag(db, { type, value });
  if (tag === undefined) throw notFound(`There is no tag ${JSON.stringify(`${type}:${value}`)}`);
  return tag;
}

async function findTag(db: Database, { type, value }: TagName) {
  const [tag] = await db
    .select(columns)
    .from(tags)
    .where(and(eq(tags.type, type), eq(tags.value, value)));
  return tag;
}

export async function createTag(transaction: WriteTransaction, body: TagInput) {
  const tag = trimTag(body);
  if ((await findTag(transaction.db, tag)) !== undefined) {
    throw nameExists(`There is already a tag ${JSON.stringify(`${tag.type}:${tag.value}`)}`);
  }
  await ensureTags(transaction, [tag]);
  return getTag(transaction.db, tag);
}

/**
 * Deletes a tag and removes it from every flag. As in Unleash, an unknown tag is not an error.
 *
 * @throws {ApiError} 403 if flags have it that the caller may not change
 */
export async function deleteTag(
  { db, record }: WriteTransaction,
  name: TagName,
  access: ProjectAccess,
): Promise<void> {
  const before = await findTag(db, name);
  if (before === undefined) return;
  const isTag = and(eq(featureTags.type, name.type), eq(featureTags.value, name.value));
  const tagged = await db
    .selectDistinct({ project: features.project })
    .from(featureTags)
    .innerJoin(features, eq(features.name, featureTags.feature))
    .where(isTag);
  const projects = tagged.map(({ project }) => project);
  requireChangeable(access, projects, "The tag is on flags");
  await db.delete(featureTags).where(isTag);
  await db.delete(tags).where(and(eq(tags.type, name.type), eq(tags.value, name.value)));
  await record({ type: "tag-deleted", before });
}

/**
 * Creates the tags that do not exist yet.
 *
 * @throws {ApiError} if a tag type is unknown
 */
export async function ensureTags(
  { db, record }: WriteTransaction,
  required: readonly TagInput[],
): Promise<void> {
  if (required.length === 0) return;
  const types = [...new Set(required.map(({ type }) => type))];
  const known = await db.select().from(tagTypes).where(inArray(tagTypes.name, types));
  const unknown = types.find((type) => known.every(({ name }) => name !== type));
  if (unknown !== undefined) {
    throw badData("/body", `contains a tag of an unknown type: ${JSON.stringify(unknown)}`);
  }
  const created = await db
    .insert(tags)
    .values(required.map(({ type, value, color }) => ({ type, value, color: color ?? null })))
    .onConflictDoNothing()
    .returning({ type: tags.type, value: tags.value, color: tags.color });
  await record(...created.map((tag) => ({ type: "tag-created" as const, after: tag })));
}
