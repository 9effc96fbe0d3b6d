import { inArray, sql } from "drizzle-orm";
import { personalTokens, users } from "../storage/schema/accounts.ts";
import { apiTokens, sessions } from "../storage/schema/access.ts";
import type { Storage } from "../storage/storage.ts";

const FLUSH_INTERVAL_MS = 60_000;

/** What a request was authenticated with. */
interface Use {
  readonly tokenId?: string | undefined;
  readonly personalTokenId?: number | undefined;
  readonly sessionHash?: string | undefined;
  readonly account?: { readonly id: number } | undefined;
}

/** The tables whose rows have a last use. A use is added by the key of the row. */
const TABLES = {
  tokens: [apiTokens, apiTokens.id],
  sessions: [sessions, sessions.idHash],
  personalTokens: [personalTokens, personalTokens.id],
  users: [users, users.id],
} as const;

type Keys = Readonly<Record<keyof typeof TABLES, Set<number | string>>>;

function noKeys(): Keys {
  return { tokens: new Set(), sessions: new Set(), personalTokens: new Set(), users: new Set() };
}

/** Collects which tokens, sessions and accounts are used, and stores their last use in one write per minute. */
export class LastUses {
  readonly #storage: Pick<Storage, "transact">;
  readonly #timer: NodeJS.Timeout;
  #keys = noKeys();

  constructor(storage: Pick<Storage, "transact">) {
    this.#storage = storage;
    this.#timer = setInterval(() => void this.#flush(), FLUSH_INTERVAL_MS);
    this.#timer.unref();
  }

  add({ tokenId, personalTokenId, sessionHash, account }: Use): void {
    if (tokenId !== undefined) this.#keys.tokens.add(tokenId);
    if (personalTokenId !== undefined) this.#keys.personalTokens.add(personalTokenId);
    if (sessionHash !== undefined) this.#keys.sessions.add(sessionHash);
    if (account !== undefined) this.#keys.users.add(account.id);
  }

  /** Stores the collected uses. If that fails, the next call tries again. */
  async #flush(): Promise<void> {
    const keys = this.#keys;
    const used = entriesOf(keys).filter(([, { size }]) => size > 0);
    if (used.length === 0) return;
    this.#keys = noKeys();
    try {
      await this.#storage.transact(async (db) => {
        // oxlint-disable-next-line no-await-in-loop -- statements of one transaction
        for (const [name, set] of used) await db.execute(markSeen(name, set));
      });
    } catch {
      for (const [name, set] of used) for (const key of set) this.#keys[name].add(key);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush();
  }
}

function entriesOf(keys: Keys) {
  return Object.entries(keys) as [keyof Keys, Set<number | string>][];
}

function markSeen(name: keyof Keys, keys: ReadonlySet<number | string>) {
  const [table, key] = TABLES[name];
  // NOTE: skips rows that another transaction has locked. A statement that never waits for a row cannot
  // take part in a deadlock, in which the change of an administrator could be rolled back.
  return sql`
    update ${table} set seen_at = now() where ${key} in
      (select ${key} from ${table} where ${inArray(key, [...keys])} for no key update skip locked)`;
}
