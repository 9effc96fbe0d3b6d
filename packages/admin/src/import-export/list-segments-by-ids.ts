import { inArray } from "drizzle-orm";
import { type Database, orderByText } from "../storage/database.ts";
import { segments } from "../storage/schema/segments.ts";
import type { Segment } from "../domain/segments/find-segments.ts";

export async function listSegmentsByIds(db: Database, ids: readonly number[]): Promise<Segment[]> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return [];
  return db
    .select()
    .from(segments)
    .where(inArray(segments.id, distinct))
    .orderBy(orderByText(segments.name));
}
