import { randomUUID } from "node:crypto";
import { and, count, eq, gt, inArray, isNull, or } from "drizzle-orm";
import { badData, exceedsLimit, mustExist, notFound } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { type Database, firstRow, orderByText } from "../storage/database.ts";
import { type NewEvent, SYSTEM_ACTOR } from "../storage/event.ts";
import { apiTokens, deletedTokens } from "../storage/schema/api-tokens.ts";
import { environments } from "../storage/schema/environments.ts";
import { projects } from "../storage/schema/projects.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";
import { findTokens } from "./find-tokens.ts";
import type { InitToken } from "./init-tokens.ts";
import {
  type ApiToken,
  createTokenText,
  hashToken,
  type TokenScope,
  type TokenView,
  toTokenView,
  WILDCARD,
} from "./token.ts";
import { checkExpiry, readExpiry, readTokenScope } from "./token-rules.ts";
import type { CreateToken, UpdateToken } from "./token-schemas.ts";

export function listTokens(db: Database): Promise<ApiToken[]> {
  return db.select().from(apiTokens).orderBy(orderByText(apiTokens.name), apiTokens.createdAt);
}

/** Lists all tokens with a name, since names are not unique. */
export function listTokensByName(db: Database, name: string): Promise<ApiToken[]> {
  return db.select().from(apiTokens).where(eq(apiTokens.name, name)).orderBy(apiTokens.createdAt);
}

export interface CreatedToken {
  readonly token: ApiToken;
  /** The text of the token, which cannot be read again later. */
  readonly secret: string;
}

/**
 * Creates a token with a random secret.
 *
 * @throws {ApiError} if the scope is contradictory, or its environment or a project does not exist
 */
export async function createToken(
  transaction: WriteTransaction,
  body: CreateToken,
): Promise<CreatedToken> {
  const scope = readTokenScope(body);
  const expiresAt = readExpiry(body.expiresAt);
  checkExpiry(expiresAt, new Date());
  await checkScopeExists(transaction.db, scope);
  await checkLimit(transaction.db);

  const secret = createTokenText(scope);
  const name = body.tokenName;
  return { token: await insertToken(transaction, { ...scope, name, secret, expiresAt }), secret };
}

/** What happened to the listed tokens that did not exist. */
interface SeededTokens {
  /** How many have been created. */
  readonly created: number;
  /** Those that were deleted and stay so. */
  readonly deleted: readonly InitToken[];
}

/**
 * Creates the listed tokens that do not exist, except those that were deleted; existing ones are not changed. Replicas
 * that start at the same time create each token once.
 */
export async function seedTokens(
  storage: Pick<Storage, "db" | "write">,
  wanted: readonly InitToken[],
): Promise<SeededTokens> {
  if ((await findMissing(storage.db, wanted)).length === 0) return { created: 0, deleted: [] };
  return storage.write(SYSTEM_ACTOR, async (transaction) => {
    const missing = await findMissing(transaction.db, wanted);
    const deleted = await findDeleted(transaction.db, missing);
    const added = missing.filter((token) => !deleted.includes(token));
    for (const token of added) {
      await insertToken(transaction, { ...token, name: `init-${token.type}`, expiresAt: null });
    }
    return { created: added.length, deleted };
  });
}

/** Finds the tokens that were deleted, and keeps the record of that for as long as they are listed. */
async function findDeleted(
  db: Database,
  listed: readonly InitToken[],
): Promise<readonly InitToken[]> {
  const hashes = listed.map(({ secret }) => hashToken(secret));
  const rows = await db
    .update(deletedTokens)
    .set({ usedAt: new Date() })
    .where(inArray(deletedTokens.secretHash, hashes))
    .returning({ hash: deletedTokens.secretHash });
  const deleted = new Set(rows.map(({ hash }) => hash));
  return listed.filter(({ secret }) => deleted.has(hashToken(secret)));
}

/** A listed token that gives access to nothing as long as its environment or project does not exist. */
export interface UnusableToken {
  readonly type: InitToken["type"];
  /** The text of the token without its secret. */
  readonly scope: string;
  /** What does not exist, and what does. */
  readonly missing: string;
}

/** Finds the listed tokens whose environment or project does not exist, or is archived. */
export async function findUnusableTokens(
  db: Database,
  listed: readonly InitToken[],
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
  return listed.flatMap(({ type, environment, projects: wanted }) => {
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

/** A listed token that exists with another type, which it keeps. */
interface TokenOfOtherType {
  readonly listed: InitToken;
  readonly type: ApiToken["type"];
}

/** Finds the listed tokens that exist with another type than that of their list. */
export async function findTokensOfOtherType(
  db: Database,
  listed: readonly InitToken[],
): Promise<readonly TokenOfOtherType[]> {
  const found = await findTokens(
    db,
    listed.map(({ secret }) => secret),
  );
  const typeOf = new Map(found.map(({ secret, token }) => [secret, token.type]));
  return listed.flatMap((token) => {
    const type = typeOf.get(token.secret);
    return type === undefined || type === token.type ? [] : [{ listed: token, type }];
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

/** The tokens that `npm start` creates, as in the documentation. */
const QUICKSTART_TOKENS = [
  "*:*.demo-admin-token-for-this-machine-only",
  "*:development.demo-backend-token-local",
] as const;

/** Whether the database contains these public tokens, for example because it was moved to a server. */
export async function hasQuickstartTokens(db: Database): Promise<boolean> {
  const found = await findTokens(db, QUICKSTART_TOKENS);
  return found.length > 0;
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
  const existing = new Set(rows.map(({ hash }) => hash));
  return wanted.filter(({ secret }) => !existing.has(hashToken(secret)));
}

interface NewToken extends TokenScope {
  readonly name: string;
  readonly secret: string;
  readonly expiresAt: Date | null;
}

async function insertToken(
  { db, actor, record }: WriteTransaction,
  { secret, ...token }: NewToken,
): Promise<ApiToken> {
  const inserted = firstRow(
    await db
      .insert(apiTokens)
      .values({
        ...token,
        id: randomUUID(),
        secretHash: hashToken(secret),
        createdBy: actor.name,
      })
      .returning(),
  );
  await record(tokenEvent("api-token-created", inserted, { after: toTokenView(inserted) }));
  return inserted;
}

/** Changes the expiry of a token. A time in the past is allowed, and disables the token. */
export async function updateToken(
  { db, record }: WriteTransaction,
  idOrSecret: string,
  body: UpdateToken,
): Promise<void> {
  const before = await getToken(db, idOrSecret);
  const after = { ...before, expiresAt: readExpiry(body.expiresAt) };
  const { expiresAt } = after;
  await db.update(apiTokens).set({ expiresAt }).where(eq(apiTokens.id, before.id));
  await record(
    tokenEvent("api-token-updated", before, {
      before: toTokenView(before),
      after: toTokenView(after),
    }),
  );
}

export async function deleteToken(
  { db, record }: WriteTransaction,
  idOrSecret: string,
): Promise<void> {
  const before = await getToken(db, idOrSecret);
  await db.delete(apiTokens).where(eq(apiTokens.id, before.id));
  const { secretHash } = before;
  await db.insert(deletedTokens).values({ secretHash }).onConflictDoNothing();
  await record(tokenEvent("api-token-deleted", before, { before: toTokenView(before) }));
}

/** NOTE: an unknown token is an error, so that nobody mistakes a failed revocation for a success. */
export async function getToken(db: Database, idOrSecret: string): Promise<ApiToken> {
  const [token] = await db
    .select()
    .from(apiTokens)
    .where(or(eq(apiTokens.id, idOrSecret), eq(apiTokens.secretHash, hashToken(idOrSecret))));
  if (token === undefined) throw notFound("There is no token with this id or secret");
  return token;
}

type TokenEventType = "api-token-created" | "api-token-deleted" | "api-token-updated";

/** Creates an event with the states of a token, which contain neither its text nor its hash. */
function tokenEvent(
  type: TokenEventType,
  { environment, projects: projectIds }: TokenScope,
  states: { readonly before?: TokenView; readonly after?: TokenView },
): NewEvent {
  const [project = WILDCARD, ...others] = projectIds;
  const hasOneProject = project !== WILDCARD && others.length === 0;
  return {
    type,
    ...(environment !== WILDCARD && { environment }),
    ...(hasOneProject && { project }),
    ...states,
  };
}

async function checkScopeExists(db: Database, scope: TokenScope): Promise<void> {
  if (scope.environment === WILDCARD) return;
  const found = await db
    .select({ name: environments.name })
    .from(environments)
    .where(eq(environments.name, scope.environment));
  if (found.length === 0) {
    throw mustExist("/body/environment", "environment", scope.environment);
  }
  if (!scope.projects.includes(WILDCARD)) await checkProjectsExist(db, scope.projects);
}

async function checkProjectsExist(db: Database, ids: readonly string[]): Promise<void> {
  const rows = await db
    .select({ id: projects.id })
    .from(projects)
    .where(and(inArray(projects.id, [...ids]), isNull(projects.archivedAt)));
  const found = new Set(rows.map(({ id }) => id));
  const unknown = ids.filter((id) => !found.has(id));
  if (unknown.length === 0) return;
  const names = unknown.map((id) => JSON.stringify(id)).join(", ");
  throw badData("/body/projects", `must exist: there is no project ${names}`);
}

async function checkLimit(db: Database): Promise<void> {
  const { tokens } = firstRow(await db.select({ tokens: count() }).from(apiTokens));
  if (tokens >= LIMITS.apiTokens) throw exceedsLimit("API tokens", LIMITS.apiTokens);
}
