import { max } from "drizzle-orm";
import type { Database } from "./database.ts";
import { events } from "./schema/events.ts";

/** The id of the latest event, 0 when nothing happened yet. */
export async function readRevision(db: Database): Promise<number> {
  const [row] = await db.select({ revision: max(events.id) }).from(events);
  return row?.revision ?? 0;
}
