import { sql } from "drizzle-orm";
import { tryLockFor } from "./locks.ts";
import type { Storage } from "./storage.ts";

/** Numbers stay within 32 bits, which is what some readers have for them, until 2162. */
const COUNTED_FROM_MS = Date.UTC(2026, 0, 1);

/**
 * Has the next revision be at least the number of seconds since 2026. Called at each start, before
 * anything is written.
 *
 * NOTE: a restored backup would otherwise give out the numbers again that came after it, and an SDK
 * that was away meanwhile would take its old state for the new one of the same number.
 */
export async function skipRevisions(
  storage: Pick<Storage, "transact">,
  now: Date = new Date(),
): Promise<void> {
  const seconds = Math.floor((now.getTime() - COUNTED_FROM_MS) / 1000);
  if (seconds < 1) return;
  await storage.transact(async (db) => {
    // Who has the lock is another replica, which has done this at its own start.
    if (!(await tryLockFor(db, "write"))) return;
    await db.execute(sql`
      select setval(ids, greatest(pg_sequence_last_value(ids), ${seconds}::bigint))
      from (select pg_get_serial_sequence('events', 'id')::regclass as ids) as sequence`);
  });
}
