import { sql, type SQL } from "drizzle-orm";

// Advisory locks are numbers that all programs on one database share: "flag" in ASCII keeps ours apart.
const FAMILY = 0x66_6c_61_67;
const LOCKS = { migrate: 1, write: 2 } as const;

/** Waits until no other transaction has this lock, and holds it until its own transaction ends. */
export function lockFor(purpose: keyof typeof LOCKS): SQL {
  return sql`select pg_advisory_xact_lock(${FAMILY}::int, ${LOCKS[purpose]}::int)`;
}
