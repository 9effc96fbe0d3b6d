import { inArray } from "drizzle-orm";
import type { Database } from "../storage/database.ts";
import { apiTokens } from "../storage/schema/access.ts";
import { type ApiToken, hashToken, isExpired } from "./token.ts";

interface FoundToken {
  readonly secret: string;
  readonly token: ApiToken;
}

/**
 * Finds the tokens with these secrets, in the same order, without unknown and expired ones.
 *
 * NOTE: compares only hashes, so that the duration reveals nothing about the secrets of tokens.
 */
export async function findTokens(
  db: Database,
  secrets: readonly string[],
): Promise<readonly FoundToken[]> {
  if (secrets.length === 0) return [];
  const hashes = secrets.map(hashToken);
  const rows = await db.select().from(apiTokens).where(inArray(apiTokens.secretHash, hashes));
  const now = new Date();
  const byHash = new Map(rows.map((row) => [row.secretHash, row]));
  return secrets.flatMap((secret) => {
    const token = byHash.get(hashToken(secret));
    return token === undefined || isExpired(token, now) ? [] : [{ secret, token }];
  });
}

/** Finds the unexpired tokens with these ids, by id. */
export async function findTokensById(
  db: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ApiToken>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select()
    .from(apiTokens)
    .where(inArray(apiTokens.id, [...ids]));
  const now = new Date();
  return new Map(rows.filter((row) => !isExpired(row, now)).map((row) => [row.id, row]));
}
