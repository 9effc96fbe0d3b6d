import { inArray, sql } from "drizzle-orm";
import type { Database } from "../storage/database.ts";
import { apiTokens } from "../storage/schema/api-tokens.ts";

/** Remembers which tokens were used, so that many uses cost one write. */
export class SeenTokens {
  readonly #db: Database;
  readonly #timer: NodeJS.Timeout;
  #ids = new Set<string>();

  constructor(db: Database, flushIntervalMs: number) {
    this.#db = db;
    this.#timer = setInterval(() => void this.flush(), flushIntervalMs);
    this.#timer.unref();
  }

  add(id: string): void {
    this.#ids.add(id);
  }

  /** Writes down what was seen. When the database is away, that is for the next time. */
  async flush(): Promise<void> {
    if (this.#ids.size === 0) return;
    const ids = this.#ids;
    this.#ids = new Set();
    try {
      await markSeen(this.#db, [...ids]);
    } catch {
      for (const id of ids) this.#ids.add(id);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}

async function markSeen(db: Database, ids: readonly string[]): Promise<void> {
  // NOTE: rows that somebody else is writing are passed over, for a later time. Who never waits for
  // a row cannot be part of a deadlock, which could cost an administrator a change.
  const free = db
    .select({ id: apiTokens.id })
    .from(apiTokens)
    .where(inArray(apiTokens.id, [...ids]))
    .for("no key update", { skipLocked: true });
  await db
    .update(apiTokens)
    .set({ seenAt: sql`now()` })
    .where(inArray(apiTokens.id, free));
}
