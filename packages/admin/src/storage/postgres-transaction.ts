import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import type { Transact } from "./sql-storage.ts";

const BEGIN = {
  read: "begin isolation level repeatable read read only",
  write: "begin",
} as const;

/**
 * Runs work in transactions on connections of a pool. A connection that failed is not used again.
 *
 * NOTE: drizzle's own transactions keep a connection for good when `begin` fails on it.
 */
export function createTransact(pool: pg.Pool): Transact {
  return async (mode, work) => {
    const client = await pool.connect();
    try {
      await client.query(BEGIN[mode]);
      const result = await work(drizzle(client));
      await commit(client);
      client.release();
      return result;
    } catch (error) {
      await undo(client);
      throw error;
    }
  };
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query("commit");
  // PostgreSQL answers so when a statement failed and the work went on as if it had not.
  if (command !== "COMMIT") throw new Error("The transaction was rolled back: a statement failed");
}

async function undo(client: pg.PoolClient): Promise<void> {
  try {
    await client.query("rollback");
    client.release();
  } catch {
    client.release(true);
  }
}
