import { inArray } from "drizzle-orm";
import { badData } from "../../errors.ts";
import { tags, tagTypes } from "../../storage/schema/tags.ts";
import type { WriteTransaction } from "../../storage/storage.ts";

export interface TagInput {
  readonly type: string;
  readonly value: string;
  readonly color?: string | null;
}

/**
 * Makes the tags that do not exist yet.
 *
 * @throws {ApiError} when the type of a tag is unknown
 */
export async function ensureTags(
  { db, record }: WriteTransaction,
  wanted: readonly TagInput[],
): Promise<void> {
  if (wanted.length === 0) return;
  const types = [...new Set(wanted.map(({ type }) => type))];
  const known = await db.select().from(tagTypes).where(inArray(tagTypes.name, types));
  const unknown = types.find((type) => known.every(({ name }) => name !== type));
  if (unknown !== undefined) {
    throw badData("/body", `names a tag type that does not exist: ${JSON.stringify(unknown)}`);
  }
  const created = await db
    .insert(tags)
    .values(wanted.map(({ type, value, color }) => ({ type, value, color: color ?? null })))
    .onConflictDoNothing()
    .returning({ type: tags.type, value: tags.value, color: tags.color });
  await record(...created.map((tag) => ({ type: "tag-created" as const, after: tag })));
}
