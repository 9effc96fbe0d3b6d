import { inArray } from "drizzle-orm";
import type { Database } from "../../storage/database.ts";
import { SYSTEM_ACTOR } from "../../storage/event.ts";
import { apiTokens } from "../../storage/schema/api-tokens.ts";
import type { Storage } from "../../storage/storage.ts";
import { hashToken } from "./hash-token.ts";
import type { InitToken } from "./init-tokens.ts";
import { insertToken } from "./insert-token.ts";

/**
 * Makes the tokens that are not there yet; those that are stay as they are, whatever their text
 * says. Returns how many were made. Replicas that start together make each of them once.
 */
export async function seedTokens(storage: Storage, wanted: readonly InitToken[]): Promise<number> {
  if ((await findMissing(storage.db, wanted)).length === 0) return 0;
  return storage.write(SYSTEM_ACTOR, async (transaction) => {
    const missing = await findMissing(transaction.db, wanted);
    for (const token of missing) {
      await insertToken(transaction, { ...token, name: `init-${token.type}`, expiresAt: null });
    }
    return missing.length;
  });
}

async function findMissing(
  db: Database,
  wanted: readonly InitToken[],
): Promise<readonly InitToken[]> {
  const hashes = wanted.map(({ secret }) => hashToken(secret));
  if (hashes.length === 0) return [];
  const rows = await db
    .select({ hash: apiTokens.secretHash })
    .from(apiTokens)
    .where(inArray(apiTokens.secretHash, hashes));
  const known = new Set(rows.map(({ hash }) => hash));
  return wanted.filter(({ secret }) => !known.has(hashToken(secret)));
}
