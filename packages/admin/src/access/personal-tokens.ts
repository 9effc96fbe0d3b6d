import { eq, inArray } from "drizzle-orm";
import type { Database } from "../storage/database.ts";
import { personalTokens, users } from "../storage/schema/accounts.ts";
import { accessOf, readProjectAccess } from "./project-access.ts";
import { type Caller, toAccountCaller } from "./request-identity.ts";
import { hashToken } from "./token.ts";

/** The start of personal tokens, which no API token has. */
export const PERSONAL_TOKEN_PREFIX = "user:";

/** Finds the callers with these personal tokens, by secret, without unknown and expired ones. */
export async function findPersonalCallers(
  db: Database,
  secrets: readonly string[],
): Promise<ReadonlyMap<string, Caller>> {
  if (secrets.length === 0) return new Map();
  const hashes = new Map(secrets.map((secret) => [hashToken(secret), secret]));
  const found = await readCallers(db, { secretHashes: [...hashes.keys()] });
  return new Map(found.map(({ secretHash, caller }) => [hashes.get(secretHash) ?? "", caller]));
}

/** Finds the callers with the personal tokens with these ids, without expired ones. */
export async function findPersonalCallersById(
  db: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Caller>> {
  if (ids.length === 0) return new Map();
  const found = await readCallers(db, { ids });
  return new Map(found.map(({ caller }) => [caller.personalTokenId ?? 0, caller]));
}

async function readCallers(
  db: Database,
  wanted: { readonly secretHashes: string[] } | { readonly ids: readonly number[] },
) {
  const rows = await db
    .select({ token: personalTokens, account: users })
    .from(personalTokens)
    .innerJoin(users, eq(users.id, personalTokens.userId))
    .where(
      "ids" in wanted
        ? inArray(personalTokens.id, [...wanted.ids])
        : inArray(personalTokens.secretHash, wanted.secretHashes),
    );
  const now = new Date();
  const usable = rows.filter(
    ({ token, account }) => token.expiresAt > now && account.disabledAt === null,
  );
  const access = await readProjectAccess(
    db,
    usable.map(({ account }) => account),
  );
  return usable.map(({ token: { id, secretHash, expiresAt }, account }) => ({
    secretHash,
    caller: toAccountCaller(account, accessOf(access, account), {
      personalTokenId: id,
      sessionHash: undefined,
      expiresAt,
    }),
  }));
}
