import { sql } from "drizzle-orm";
import { batchesOf, type Database, excluded } from "../../storage/database.ts";
import { lifecycles } from "../../storage/schema/lifecycles.ts";

/** Begins the lives of flags again, because they were revived: what was reported before no longer counts. */
export async function restartLifecycles(db: Database, names: readonly string[]): Promise<void> {
  const restartedAt = sql`now()`;
  for (const batch of batchesOf(names)) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await db
      .insert(lifecycles)
      .values(batch.map((feature) => ({ feature, restartedAt })))
      .onConflictDoUpdate({
        target: lifecycles.feature,
        set: {
          ...excluded(lifecycles, "restartedAt"),
          preLiveAt: null,
          liveAt: null,
          completedAt: null,
          completedStatus: null,
          completedValue: null,
          potentiallyStale: false,
          staleReason: null,
          snoozedUntil: null,
        },
      });
  }
}
