import { lt, sql } from "drizzle-orm";
import { featureUsage, variantUsage } from "../storage/schema/usage.ts";
import type { Storage } from "../storage/storage.ts";
import { HOUR_MS, RETENTION_HOURS } from "./hours.ts";

/** Deletes old usage now and then. Returns how to stop that. */
export function keepUsageShort(storage: Storage, intervalMs: number = HOUR_MS): () => void {
  const clean = (): void => {
    // Where the database is away or its disk is full, the next run deletes more.
    void deleteOldUsage(storage).catch(() => undefined);
  };
  const timer = setInterval(clean, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** NOTE: no report writes so far back, so that this never waits for one. */
export async function deleteOldUsage(storage: Pick<Storage, "transact">): Promise<void> {
  const oldest = sql`now() - ${`${RETENTION_HOURS} hours`}::interval`;
  for (const table of [featureUsage, variantUsage]) {
    await storage.transact((db) => db.delete(table).where(lt(table.hour, oldest)));
  }
}
