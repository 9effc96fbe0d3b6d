import { inArray, sql } from "drizzle-orm";
import { apiTokens } from "../storage/schema/access.ts";
import type { Storage } from "../storage/storage.ts";

const FLUSH_INTERVAL_MS = 60_000;

/** Collects the ids of used tokens and stores their last use in one write per minute. */
export class SeenTokens {
  readonly #storage: Pick<Storage, "transact">;
  readonly #timer: NodeJS.Timeout;
  #ids = new Set<string>();

  constructor(storage: Pick<Storage, "transact">) {
    this.#storage = storage;
    this.#timer = setInterval(() => void this.#flush(), FLUSH_INTERVAL_MS);
    this.#timer.unref();
  }

  add(id: string): void {
    this.#ids.add(id);
  }

  /** Stores the last use of the collected tokens. If that fails, the next call tries again. */
  async #flush(): Promise<void> {
    if (this.#ids.size === 0) return;
    const ids = this.#ids;
    this.#ids = new Set();
    try {
      await markSeen(this.#storage, [...ids]);
    } catch {
      for (const id of ids) this.#ids.add(id);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush();
  }
}

async function markSeen(storage: Pick<Storage, "transact">, ids: readonly string[]): Promise<void> {
  // NOTE: skips rows that another transaction has locked. A statement that never waits for a row cannot
  // take part in a deadlock, in which the change of an administrator could be rolled back.
  await storage.transact((db) => {
    const free = db
      .select({ id: apiTokens.id })
      .from(apiTokens)
      .where(inArray(apiTokens.id, [...ids]))
      .for("no key update", { skipLocked: true });
    return db
      .update(apiTokens)
      .set({ seenAt: sql`now()` })
      .where(inArray(apiTokens.id, free));
  });
}
