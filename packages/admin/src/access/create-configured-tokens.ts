import { and, eq, gt, inArray, isNull, or } from "drizzle-orm";
import { type Database, orderByText } from "../storage/database.ts";
import { SYSTEM_ACTOR } from "../storage/events.ts";
import { apiTokens, deletedTokens } from "../storage/schema/access.ts";
import { environments, projects } from "../storage/schema/projects.ts";
import type { Storage } from "../storage/storage.ts";
import { findTokens, insertToken } from "./token-store.ts";
import type { ConfiguredToken } from "./configured-tokens.ts";
import { type ApiToken, hashToken, WILDCARD } from "./token.ts";

/** What happened to the configured tokens that did not exist. */
interface CreatedTokens {
  /** How many have been created. */
  readonly created: number;
  /** Those that were deleted and stay so. */
  readonly deleted: readonly ConfiguredToken[];
}

/**
 * Creates the configured tokens that do not exist, except those that were deleted; existing ones are not changed.
 * Replicas that start at the same time create each token once.
 */
export async function createConfiguredTokens(
  storage: Pick<Storage, "db" | "write">,
  configured: readonly ConfiguredToken[],
): Promise<CreatedTokens> {
  if ((await findMissing(storage.db, configured)).length === 0) return { created: 0, deleted: [] };
  return storage.write(SYSTEM_ACTOR, async (transaction) => {
    const missing = await findMissing(transaction.db, configured);
    const deleted = await findDeleted(transaction.db, missing);
    const added = missing.filter((token) => !deleted.includes(token));
    for (const token of added) {
      await insertToken(transaction, { ...token, name: `init-${token.type}`, expiresAt: null });
    }
    return { created: added.length, deleted };
  });
}

async function findMissing(
  db: Database,
  configured: readonly ConfiguredToken[],
): Promise<readonly ConfiguredToken[]> {
  const hashes = configured.map(({ secret }) => hashToken(secret));
  if (hashes.length === 0) return [];
  const rows = await db
    .select({ hash: apiTokens.secretHash })
    .from(apiTokens)
    .where(inArray(apiTokens.secretHash, hashes));
  const existing = new Set(rows.map(({ hash }) => hash));
  return configured.filter(({ secret }) => !existing.has(hashToken(secret)));
}

/** Finds the tokens that were deleted, and keeps the record of that for as long as they are configured. */
async function findDeleted(
  db: Database,
  configured: readonly ConfiguredToken[],
): Promise<readonly ConfiguredToken[]> {
  const hashes = configured.map(({ secret }) => hashToken(secret));
  const rows = await db
    .update(deletedTokens)
    .set({ usedAt: new Date() })
    .where(inArray(deletedTokens.secretHash, hashes))
    .returning({ hash: deletedTokens.secretHash });
  const deleted = new Set(rows.map(({ hash }) => hash));
  return configured.filter(({ secret }) => deleted.has(hashToken(secret)));
}

/** A configured token that gives access to nothing as long as its environment or project does not exist. */
export interface UnusableToken {
  readonly type: ConfiguredToken["type"];
  /** The text of the token without its secret. */
  readonly scope: string;
  /** What does not exist, and what does. */
  readonly missing: string;
}

/** Finds the configured tokens whose environment or project does not exist, or is archived. */
export async function findUnusableTokens(
  db: Database,
  configured: readonly ConfiguredToken[],
): Promise<readonly UnusableToken[]> {
  const names = await db
    .select({ name: environments.name })
    .from(environments)
    .orderBy(orderByText(environments.name));
  const ids = await db
    .select({ name: projects.id })
    .from(projects)
    .where(isNull(projects.archivedAt))
    .orderBy(orderByText(projects.id));
  return configured.flatMap(({ type, environment, projects: wanted }) => {
    const missing = [
      ...describeMissing("environment", [environment], names),
      ...describeMissing("project", wanted, ids),
    ].join(" and ");
    return missing === "" ? [] : [{ type, scope: `${wanted.join()}:${environment}`, missing }];
  });
}

const MAX_LISTED = 10;

function describeMissing(
  kind: string,
  wanted: readonly string[],
  existing: readonly { readonly name: string }[],
): readonly string[] {
  const known = existing.map(({ name }) => name);
  const listed = known.slice(0, MAX_LISTED).join(", ") + (known.length > MAX_LISTED ? ", …" : "");
  return wanted
    .filter((name) => name !== WILDCARD && !known.includes(name))
    .map((name) => `no ${kind} ${JSON.stringify(name)} (existing: ${listed})`);
}

/** A configured token that exists with another type, which it keeps. */
interface TokenOfOtherType {
  readonly configured: ConfiguredToken;
  readonly type: ApiToken["type"];
}

/** Finds the configured tokens that exist with a type other than the one of their list. */
export async function findTokensOfOtherType(
  db: Database,
  configured: readonly ConfiguredToken[],
): Promise<readonly TokenOfOtherType[]> {
  const found = await findTokens(
    db,
    configured.map(({ secret }) => secret),
  );
  const typeOf = new Map(found.map(({ secret, token }) => [secret, token.type]));
  return configured.flatMap((token) => {
    const type = typeOf.get(token.secret);
    return type === undefined || type === token.type ? [] : [{ configured: token, type }];
  });
}

/** Whether anyone can use the admin API: there is an admin token that has not expired. */
export async function hasAdminToken(db: Database): Promise<boolean> {
  const isUsable = or(isNull(apiTokens.expiresAt), gt(apiTokens.expiresAt, new Date()));
  const rows = await db
    .select({ id: apiTokens.id })
    .from(apiTokens)
    .where(and(eq(apiTokens.type, "admin"), isUsable))
    .limit(1);
  return rows.length > 0;
}

/** The tokens that `npm start` once created. It revokes them now. */
const QUICKSTART_TOKENS = [
  "*:*.demo-admin-token-for-this-machine-only",
  "*:development.demo-backend-token-local",
] as const;

/** Whether the database contains these public tokens, for example because it was moved to a server. */
export async function hasQuickstartTokens(db: Database): Promise<boolean> {
  const found = await findTokens(db, QUICKSTART_TOKENS);
  return found.length > 0;
}
