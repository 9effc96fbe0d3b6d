import { lt, sql } from "drizzle-orm";
import { featureUsage, variantUsage } from "../storage/schema/usage.ts";
import type { Storage } from "../storage/storage.ts";
import { HOUR_MS, RETENTION_HOURS } from "./hours.ts";

/** Deletes old usage now and then. Returns how to stop that. */
export function keepUsageShort(storage: Storage, intervalMs: number = HOUR_MS): () => void {
  const clean = (): void => {
    // When the database is away there will be a next time.
    void deleteOldUsage(storage).catch(() => undefined);
  };
  const timer = setInterval(clean, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** NOTE: no report writes so far back, so that this never waits for one. */
export async function deleteOldUsage({ db }: Pick<Storage, "db">): Promise<void> {
  const oldest = sql`now() - ${`${RETENTION_HOURS} hours`}::interval`;
  await db.delete(featureUsage).where(lt(featureUsage.hour, oldest));
  await db.delete(variantUsage).where(lt(variantUsage.hour, oldest));
}
