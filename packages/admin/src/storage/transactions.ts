import { setTimeout as delay } from "node:timers/promises";
import { sql, type SQL } from "drizzle-orm";
import { type Database, firstRow } from "./database.ts";
import { isConnectionError, isTimeout, UnknownOutcomeError } from "./errors.ts";

/** Runs work in a transaction, which commits if the work resolves and rolls back if it rejects. */
export type Transact = <T>(
  mode: "read" | "write",
  work: (db: Database) => Promise<T>,
) => Promise<T>;

/** Makes transactions reject with an `UnknownOutcomeError` if they fail after the work, and so during the commit. */
export function withUnknownOutcome(transact: Transact): Transact {
  return async (mode, work) => {
    let isFinished = false;
    try {
      return await transact(mode, async (db) => {
        const result = await work(db);
        isFinished = mode === "write";
        return result;
      });
    } catch (error) {
      const isUnknown = isFinished && (isConnectionError(error) || isTimeout(error));
      throw isUnknown ? new UnknownOutcomeError(error) : error;
    }
  };
}

const RETRY_DELAYS_MS = [50, 200, 500];

/** A server that took longer to fail is not tried again: clients would give up before the response. */
const MAX_RETRIED_MS = 1000;

/**
 * Retries while the connection fails quickly before the work has called `started`, because nothing can have
 * been written by then. Later failures are not retried: the write may have been committed.
 */
export async function retryBeforeStart<T>(
  attempt: (started: () => void) => Promise<T>,
  delaysMs: readonly number[] = RETRY_DELAYS_MS,
): Promise<T> {
  for (const delayMs of delaysMs) {
    let hasStarted = false;
    const startMs = performance.now();
    try {
      return await attempt(() => {
        hasStarted = true;
      });
    } catch (error) {
      const isSlow = performance.now() - startMs > MAX_RETRIED_MS;
      if (hasStarted || isSlow || !isConnectionError(error)) throw error;
    }
    await delay(delayMs);
  }
  return attempt(() => undefined);
}

// All programs that use a database share the numbers of advisory locks. "flag" in ASCII avoids
// collisions with other programs.
const LOCK_NAMESPACE = 0x66_6c_61_67;
const LOCKS = { migrate: 1, write: 2, clean: 3 } as const;

/** Statement that waits for an advisory lock, which is released at the end of the transaction. */
export function lockFor(purpose: keyof typeof LOCKS): SQL {
  return sql`select pg_advisory_xact_lock(${LOCK_NAMESPACE}::int, ${LOCKS[purpose]}::int)`;
}

/** Acquires an advisory lock if it is free. Returns whether it was. */
export async function tryLockFor(db: Database, purpose: keyof typeof LOCKS): Promise<boolean> {
  const lock = sql<boolean>`pg_try_advisory_xact_lock(${LOCK_NAMESPACE}::int, ${LOCKS[purpose]}::int)`;
  const { isAcquired } = firstRow(
    await db.select({ isAcquired: lock }).from(sql`(select 1) as nothing`),
  );
  return isAcquired;
}
