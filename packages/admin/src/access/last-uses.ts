import { inArray, sql } from "drizzle-orm";
import { apiTokens, sessions } from "../storage/schema/access.ts";
import type { Storage } from "../storage/storage.ts";

const FLUSH_INTERVAL_MS = 60_000;

/** What a request was authenticated with. */
interface Use {
  readonly tokenId?: string | undefined;
  readonly sessionHash?: string | undefined;
}

/** Collects which tokens and sessions are used, and stores their last use in one write per minute. */
export class LastUses {
  readonly #storage: Pick<Storage, "transact">;
  readonly #timer: NodeJS.Timeout;
  #tokenIds = new Set<string>();
  #sessionHashes = new Set<string>();

  constructor(storage: Pick<Storage, "transact">) {
    this.#storage = storage;
    this.#timer = setInterval(() => void this.#flush(), FLUSH_INTERVAL_MS);
    this.#timer.unref();
  }

  add({ tokenId, sessionHash }: Use): void {
    if (tokenId !== undefined) this.#tokenIds.add(tokenId);
    if (sessionHash !== undefined) this.#sessionHashes.add(sessionHash);
  }

  /** Stores the collected uses. If that fails, the next call tries again. */
  async #flush(): Promise<void> {
    const [tokenIds, hashes] = [this.#tokenIds, this.#sessionHashes];
    if (tokenIds.size + hashes.size === 0) return;
    this.#tokenIds = new Set();
    this.#sessionHashes = new Set();
    try {
      await this.#storage.transact(async (db) => {
        await db.execute(markSeen(apiTokens, apiTokens.id, tokenIds));
        await db.execute(markSeen(sessions, sessions.idHash, hashes));
      });
    } catch {
      for (const tokenId of tokenIds) this.add({ tokenId });
      for (const sessionHash of hashes) this.add({ sessionHash });
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush();
  }
}

function markSeen(
  table: typeof apiTokens | typeof sessions,
  key: typeof apiTokens.id | typeof sessions.idHash,
  keys: ReadonlySet<string>,
) {
  // NOTE: skips rows that another transaction has locked. A statement that never waits for a row cannot
  // take part in a deadlock, in which the change of an administrator could be rolled back.
  return sql`
    update ${table} set seen_at = now() where ${key} in
      (select ${key} from ${table} where ${inArray(key, [...keys])} for no key update skip locked)`;
}
