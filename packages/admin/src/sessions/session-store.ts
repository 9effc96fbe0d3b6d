import { createHash, randomBytes } from "node:crypto";
import { and, desc, eq, gt, inArray, type SQL } from "drizzle-orm";
import { fromUserId } from "../access/openid-user.ts";
import type { Caller } from "../access/request-identity.ts";
import { isRole, roleOfType } from "../access/role.ts";
import { type ApiToken, isExpired } from "../access/token.ts";
import { notFound, unusableToken } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { Database } from "../storage/database.ts";
import { apiTokens, sessions } from "../storage/schema/access.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";

type Session = typeof sessions.$inferSelect;

/** An authenticated user. */
export type User = Pick<Session, "issuer" | "role" | "tokenId" | "userId" | "userName">;

/** More than browsers of one person. Limits what the owner of a token can store. */
const MAX_SESSIONS_PER_USER = 100;

const ID_BYTES = 32;
const ID = /^[\w-]{43}$/;

/** Hashes the id of a session for storage; undefined if no session can have it. */
export function hashSessionId(id: string): string | undefined {
  return ID.test(id) ? hash(id) : undefined;
}

function hash(id: string): string {
  return createHash("sha256").update(id).digest("hex");
}

interface SessionTimes {
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/**
 * Stores a new session with a random id, and deletes the oldest ones of the user beyond the limit.
 *
 * @returns the id, for the cookie
 * @throws {ApiError} 401 if the token of the user has been deleted in the meantime
 */
export async function insertSession(
  storage: Pick<Storage, "transact">,
  user: User,
  times: SessionTimes,
): Promise<string> {
  const id = randomBytes(ID_BYTES).toString("base64url");
  const idHash = hash(id);
  await storage.transact(async (db) => {
    if (user.tokenId !== null) await keepToken(db, user.tokenId);
    await db.insert(sessions).values({ ...user, ...times, idHash });
    const surplus = db
      .select({ idHash: sessions.idHash })
      .from(sessions)
      .where(eq(sessions.userId, user.userId))
      .orderBy(desc(sessions.createdAt), sessions.idHash)
      .offset(MAX_SESSIONS_PER_USER)
      // NOTE: never waits for another sign-in, so that two of them cannot wait for each other.
      .for("update", { skipLocked: true });
    await db.delete(sessions).where(inArray(sessions.idHash, surplus));
  });
  return id;
}

/** Keeps a token from being deleted until the session that refers to it is stored. */
async function keepToken(db: Database, tokenId: string): Promise<void> {
  const found = await db
    .select({ id: apiTokens.id })
    .from(apiTokens)
    .where(eq(apiTokens.id, tokenId))
    .for("key share");
  if (found.length > 0) return;
  throw unusableToken();
}

interface FindOptions {
  /** The issuer of OpenID Connect whose users are accepted. */
  readonly issuer: string | undefined;
  /** How long a session lasts at most. */
  readonly durationMs: number;
  readonly now: Date;
}

type SessionCaller = Caller & { readonly expiresAt: Date };

/** A session that has not ended. */
interface OpenSession {
  readonly caller: SessionCaller;
  readonly session: Session;
}

/** Finds the callers with these sessions that have not ended, by the hash of the session. */
export async function findSessions(
  db: Database,
  hashes: readonly string[],
  options: FindOptions,
): Promise<ReadonlyMap<string, Caller>> {
  if (hashes.length === 0) return new Map();
  const found = await readSessions(db, inArray(sessions.idHash, [...hashes]), options);
  return new Map(found.map(({ session, caller }) => [session.idHash, caller]));
}

/** Lists the sessions that have not ended, newest first. */
export async function listSessions(
  db: Database,
  options: FindOptions,
): Promise<readonly SessionView[]> {
  return (await readSessions(db, undefined, options)).map(toSessionView);
}

/** Reads sessions that have not ended, newest first. */
async function readSessions(
  db: Database,
  condition: SQL | undefined,
  options: FindOptions,
): Promise<readonly OpenSession[]> {
  const rows = await db
    .select({ session: sessions, token: apiTokens })
    .from(sessions)
    .leftJoin(apiTokens, eq(apiTokens.id, sessions.tokenId))
    .where(and(condition, gt(sessions.expiresAt, options.now)))
    .orderBy(desc(sessions.createdAt), sessions.idHash)
    .limit(LIMITS.listedSessions);
  return rows.flatMap(({ session, token }) => {
    const caller = toSessionCaller(session, token, options);
    return caller === undefined ? [] : [{ session, caller }];
  });
}

/** Returns undefined if the session has ended. */
function toSessionCaller(
  session: Session,
  token: ApiToken | null,
  { issuer, durationMs, now }: FindOptions,
): SessionCaller | undefined {
  const { idHash, userId, userName, tokenId } = session;
  // The setting may have been lowered since the sign-in.
  const latestEndMs = session.createdAt.getTime() + durationMs;
  const expiresAt = new Date(Math.min(session.expiresAt.getTime(), latestEndMs));
  if (expiresAt <= now) return undefined;
  const common = { id: userId, sessionHash: idHash, expiresAt };
  if (tokenId === null) {
    if (session.issuer !== issuer || !isRole(session.role)) return undefined;
    return { ...common, name: userName, kind: "openid", role: session.role, tokenId: undefined };
  }
  if (token === null || isExpired(token, now)) return undefined;
  const role = roleOfType(token.type);
  if (role === undefined) return undefined;
  return { ...common, name: token.name, kind: "token", role, tokenId };
}

/** Describes the user of a session. */
export function toUserView({ id, name, kind, tokenId }: Caller) {
  const { issuer, subject } = kind === "openid" ? fromUserId(id) : { issuer: null, subject: null };
  return { name, kind, tokenId: tokenId ?? null, issuer, subject };
}

export type SessionView = ReturnType<typeof toSessionView>;

function toSessionView({ caller, session }: OpenSession) {
  return {
    // NOTE: not a secret. Nobody can derive the random id in the cookie from its hash.
    id: session.idHash,
    user: toUserView(caller),
    role: caller.role,
    createdAt: session.createdAt,
    lastSeenAt: session.seenAt,
    expiresAt: caller.expiresAt,
  };
}

/**
 * Ends a session for an administrator, which open streams of all replicas notice by the event.
 *
 * @throws {ApiError} 404 if there is no such session
 */
export async function endSession(
  { db, record }: WriteTransaction,
  idHash: string,
  options: FindOptions,
): Promise<void> {
  const [found] = await readSessions(db, eq(sessions.idHash, idHash), options);
  if (found === undefined) throw notFound("There is no session with this id, or it has ended");
  await db.delete(sessions).where(eq(sessions.idHash, idHash));
  await record({ type: "session-ended", before: toSessionView(found) });
}

export async function deleteSession(
  storage: Pick<Storage, "transact">,
  idHash: string,
): Promise<void> {
  await storage.transact((db) => db.delete(sessions).where(eq(sessions.idHash, idHash)));
}
