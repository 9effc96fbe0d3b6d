import { eq } from "drizzle-orm";
import { ApiError, nameExists, notFound } from "../../errors.ts";
import { type Database, firstRow, orderByText } from "../../storage/database.ts";
import { featureTags, tagTypes } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import type { CreateTagType, UpdateTagType } from "./schemas.ts";

const columns = { name: tagTypes.name, description: tagTypes.description, icon: tagTypes.icon };

export function listTagTypes(db: Database) {
  return db.select(columns).from(tagTypes).orderBy(orderByText(tagTypes.name));
}

/**
 * @throws {ApiError} if the type does not exist
 */
export async function getTagType(db: Database, name: string) {
  const [type] = await db.select(columns).from(tagTypes).where(eq(tagTypes.name, name));
  if (type === undefined) throw notFound(`There is no tag type ${JSON.stringify(name)}`);
  return type;
}

/**
 * @throws {ApiError} if a type has the name
 */
export async function checkNameIsAvailable(db: Database, name: string): Promise<void> {
  const found = await db.select(columns).from(tagTypes).where(eq(tagTypes.name, name));
  if (found.length > 0) throw nameExists(`There is already a tag type ${JSON.stringify(name)}`);
}

export async function createTagType(
  { db, record }: WriteTransaction,
  { name, description, icon }: CreateTagType,
) {
  await checkNameIsAvailable(db, name);
  const created = firstRow(
    await db
      .insert(tagTypes)
      .values({ name, description: description ?? null, icon: icon ?? null })
      .returning(columns),
  );
  await record({ type: "tag-type-created", after: created });
  return created;
}

export async function updateTagType(
  { db, record }: WriteTransaction,
  name: string,
  { description, icon }: UpdateTagType,
): Promise<void> {
  const before = await getTagType(db, name);
  const changes = {
    ...(description !== undefined && { description }),
    ...(icon !== undefined && { icon }),
  };
  if (Object.keys(changes).length === 0) return;
  await db.update(tagTypes).set(changes).where(eq(tagTypes.name, name));
  await record({ type: "tag-type-updated", before, after: { ...before, ...changes } });
}

export async function deleteTagType({ db, record }: WriteTransaction, name: string): Promise<void> {
  const before = await getTagType(db, name);
  const [reference] = await db
    .select()
    .from(featureTags)
    .where(eq(featureTags.type, name))
    .limit(1);
  if (reference !== undefined) {
    throw new ApiError(
      "ConflictError",
      `The flag ${JSON.stringify(reference.feature)} has a tag of this type: remove the tag first`,
    );
  }
  await db.delete(tagTypes).where(eq(tagTypes.name, name));
  await record({ type: "tag-type-deleted", before });
}
