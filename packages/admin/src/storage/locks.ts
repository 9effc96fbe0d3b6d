import { sql, type SQL } from "drizzle-orm";
import type { Database } from "./database.ts";
import { firstRow } from "./first-row.ts";

// Advisory locks are numbers that all programs on one database share: "flag" in ASCII keeps ours apart.
const FAMILY = 0x66_6c_61_67;
const LOCKS = { migrate: 1, write: 2 } as const;

/** Waits until no other transaction has this lock, and holds it until its own transaction ends. */
export function lockFor(purpose: keyof typeof LOCKS): SQL {
  return sql`select pg_advisory_xact_lock(${FAMILY}::int, ${LOCKS[purpose]}::int)`;
}

/** Takes the lock when nobody has it, and tells whether that was so. */
export async function tryLockFor(db: Database, purpose: keyof typeof LOCKS): Promise<boolean> {
  const lock = sql<boolean>`pg_try_advisory_xact_lock(${FAMILY}::int, ${LOCKS[purpose]}::int)`;
  const { isTaken } = firstRow(await db.select({ isTaken: lock }).from(sql`(select 1) as nothing`));
  return isTaken;
}
