import { and, count, eq, inArray, isNull, or } from "drizzle-orm";
import { badData, exceedsLimit, notFound } from "../../errors.ts";
import { type Database, orderByText } from "../../storage/database.ts";
import { apiTokens } from "../../storage/schema/api-tokens.ts";
import { environments } from "../../storage/schema/environments.ts";
import { projects } from "../../storage/schema/projects.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { type ApiToken, EVERYTHING, type TokenScope, toTokenView } from "./api-token.ts";
import { hashToken } from "./hash-token.ts";
import { insertToken } from "./insert-token.ts";
import { checkExpiry, readExpiry, readTokenScope } from "./rules.ts";
import type { CreateToken, UpdateToken } from "./schemas.ts";
import { tokenEvent } from "./token-event.ts";
import { createTokenText } from "./token-text.ts";

const MAX_TOKENS = 2000;

export function listTokens(db: Database): Promise<ApiToken[]> {
  return db.select().from(apiTokens).orderBy(orderByText(apiTokens.name), apiTokens.createdAt);
}

/** Names need not be unique: all tokens of that name. */
export function listTokensNamed(db: Database, name: string): Promise<ApiToken[]> {
  return db.select().from(apiTokens).where(eq(apiTokens.name, name)).orderBy(apiTokens.createdAt);
}

interface CreatedToken {
  readonly token: ApiToken;
  /** The token itself, which nobody can find out again. */
  readonly secret: string;
}

/**
 * @throws {ApiError} when the token would be for something that does not exist
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

/** A moment in the past is fine: from then on the token was not accepted. */
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
  await record(tokenEvent("api-token-deleted", before, { before: toTokenView(before) }));
}

/** NOTE: an unknown token is an error, so that a revocation that revoked nothing is noticed. */
async function getToken(db: Database, idOrSecret: string): Promise<ApiToken> {
  const [token] = await db
    .select()
    .from(apiTokens)
    .where(or(eq(apiTokens.id, idOrSecret), eq(apiTokens.secretHash, hashToken(idOrSecret))));
  if (token === undefined) throw notFound("There is no such token");
  return token;
}

async function checkScopeExists(db: Database, scope: TokenScope): Promise<void> {
  if (scope.type === "admin") return;
  const known = await db
    .select({ name: environments.name })
    .from(environments)
    .where(eq(environments.name, scope.environment));
  if (known.length === 0) {
    throw badData(
      "/body/environment",
      `must exist: there is no environment ${JSON.stringify(scope.environment)}`,
    );
  }
  if (!scope.projects.includes(EVERYTHING)) await checkProjectsExist(db, scope.projects);
}

async function checkProjectsExist(db: Database, ids: readonly string[]): Promise<void> {
  const known = await db
    .select({ id: projects.id })
    .from(projects)
    .where(and(inArray(projects.id, [...ids]), isNull(projects.archivedAt)));
  const found = new Set(known.map(({ id }) => id));
  const unknown = ids.filter((id) => !found.has(id));
  if (unknown.length === 0) return;
  const names = unknown.map((id) => JSON.stringify(id)).join(", ");
  throw badData("/body/projects", `must exist: there is no project ${names}`);
}

async function checkLimit(db: Database): Promise<void> {
  const [row] = await db.select({ tokens: count() }).from(apiTokens);
  if ((row?.tokens ?? 0) >= MAX_TOKENS) throw exceedsLimit("API tokens", MAX_TOKENS);
}
