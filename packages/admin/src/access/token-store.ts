import { randomUUID } from "node:crypto";
import { and, count, eq, inArray, isNull, or } from "drizzle-orm";
import { badData, exceedsLimit, mustExist, notFound } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { type Database, firstRow, orderByText } from "../storage/database.ts";
import type { NewEvent } from "../storage/events.ts";
import { apiTokens, deletedTokens } from "../storage/schema/access.ts";
import { environments, projects } from "../storage/schema/projects.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { isReservedName } from "./openid-user.ts";
import { findPersonBehind } from "./person-behind.ts";
import { readExpiry, readTokenScope } from "./token-rules.ts";
import type { CreateToken, UpdateToken } from "./token-schemas.ts";
import {
  type ApiToken,
  createTokenText,
  hashToken,
  isExpired,
  type TokenScope,
  type TokenView,
  toTokenView,
  WILDCARD,
} from "./token.ts";

export function listTokens(db: Database): Promise<ApiToken[]> {
  return db.select().from(apiTokens).orderBy(orderByText(apiTokens.name), apiTokens.createdAt);
}

/** Lists all tokens with a name, since names are not unique. */
export function listTokensByName(db: Database, name: string): Promise<ApiToken[]> {
  return db.select().from(apiTokens).where(eq(apiTokens.name, name)).orderBy(apiTokens.createdAt);
}

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
  await checkScopeExists(transaction.db, scope);
  await checkLimit(transaction.db);

  const secret = createTokenText(scope);
  const name = body.tokenName;
  if (isReservedName(name)) {
    throw badData("/body/tokenName", "must not be `system`, or begin with `openid:`");
  }
  return { token: await insertToken(transaction, { ...scope, name, secret, expiresAt }), secret };
}

interface NewToken extends TokenScope {
  readonly name: string;
  readonly secret: string;
  readonly expiresAt: Date | null;
}

export async function insertToken(
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
        createdByUser: await findPersonBehind(db, actor),
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

/** Replaces the projects that a token grants access to, because one of them is deleted. */
export async function replaceProjects(
  { db, record }: WriteTransaction,
  before: ApiToken,
  projectIds: readonly string[],
): Promise<void> {
  const after = { ...before, projects: projectIds };
  await db.update(apiTokens).set({ projects: projectIds }).where(eq(apiTokens.id, before.id));
  await record(
    tokenEvent("api-token-updated", after, {
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
