import { timingSafeEqual } from "node:crypto";
import { inArray } from "drizzle-orm";
import type { Database } from "../storage/database.ts";
import { apiTokens } from "../storage/schema/api-tokens.ts";
import { type ApiToken, hashToken, isExpired } from "./token.ts";

interface FoundToken {
  readonly secret: string;
  readonly token: ApiToken;
}

/** Finds the tokens with these texts, in the same order, without unknown and expired ones. */
export async function findTokens(
  db: Database,
  secrets: readonly string[],
  now: Date = new Date(),
): Promise<readonly FoundToken[]> {
  if (secrets.length === 0) return [];
  const hashes = secrets.map(hashToken);
  const rows = await db.select().from(apiTokens).where(inArray(apiTokens.secretHash, hashes));
  const byHash = new Map(rows.map((row) => [row.secretHash, row]));
  return secrets.flatMap((secret) => {
    const hash = hashToken(secret);
    const token = byHash.get(hash);
    const isMatch = token !== undefined && areEqual(token.secretHash, hash);
    return isMatch && !isExpired(token, now) ? [{ secret, token }] : [];
  });
}

/** Compares in constant time, so that the duration does not reveal where the hashes differ. */
function areEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** Finds the unexpired tokens with these ids, by id. */
export async function findTokensById(
  db: Database,
  ids: readonly string[],
  now: Date = new Date(),
): Promise<ReadonlyMap<string, ApiToken>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select()
    .from(apiTokens)
    .where(inArray(apiTokens.id, [...ids]));
  return new Map(rows.filter((row) => !isExpired(row, now)).map((row) => [row.id, row]));
}
