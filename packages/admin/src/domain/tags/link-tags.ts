import { and, eq } from "drizzle-orm";
import type { Database } from "../../storage/database.ts";
import { featureTags } from "../../storage/schema/tags.ts";

export interface TagName {
  readonly type: string;
  readonly value: string;
}

/** Puts existing tags on a flag. Returns those that it did not have before. */
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

/** Takes a tag from a flag. Returns whether the flag had it. */
export async function unlinkTag(
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
