import type { Database } from "../storage/database.ts";
import { staleChecks } from "../storage/schema/lifecycles.ts";

/** Makes one replica look soon which flags can be removed, because what counts has changed. */
export async function examineSoon(db: Database): Promise<void> {
  await db.delete(staleChecks);
}
