import { and, eq } from "drizzle-orm";
import { nameExists, notFound } from "../../errors.ts";
import type { Database } from "../../storage/database.ts";
import { featureTags, tags } from "../../storage/schema/tags.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { ensureTags } from "./ensure-tags.ts";
import type { TagName } from "./link-tags.ts";
import type { TagInput } from "./schemas.ts";

const columns = { type: tags.type, value: tags.value, color: tags.color };

/** All tags, or those of one type. */
export function listTags(db: Database, type?: string) {
  return db
    .select(columns)
    .from(tags)
    .where(type === undefined ? undefined : eq(tags.type, type))
    .orderBy(tags.type, tags.value);
}

/**
 * @throws {ApiError} when there is none
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
  const tag = { ...body, value: body.value.trim() };
  if ((await findTag(transaction.db, tag)) !== undefined) {
    throw nameExists(`There is a tag ${JSON.stringify(`${tag.type}:${tag.value}`)}`);
  }
  await ensureTags(transaction, [tag]);
  return getTag(transaction.db, tag);
}

/** Deletes a tag and takes it from every flag. */
export async function deleteTag({ db, record }: WriteTransaction, name: TagName): Promise<void> {
  const before = await getTag(db, name);
  const isTag = and(eq(featureTags.type, name.type), eq(featureTags.value, name.value));
  await db.delete(featureTags).where(isTag);
  await db.delete(tags).where(and(eq(tags.type, name.type), eq(tags.value, name.value)));
  await record({ type: "tag-deleted", before });
}
