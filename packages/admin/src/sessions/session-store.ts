import { createHash, randomBytes } from "node:crypto";
import { and, desc, eq, gt, inArray, isNull, type SQL } from "drizzle-orm";
import { type Account, toCallerId, nameOf } from "../access/account.ts";
import { accessOf, type ProjectAccess, readProjectAccess } from "../access/project-access.ts";
import { type Caller, toAccountCaller, toCaller } from "../access/request-identity.ts";
import { type ApiToken, isExpired } from "../access/token.ts";
import { notFound, sessionEnded, unusableToken } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { Database } from "../storage/database.ts";
import { apiTokens, sessions } from "../storage/schema/access.ts";
import { users } from "../storage/schema/accounts.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";

type Session = typeof sessions.$inferSelect;

/** Who has signed in. */
export type User = { readonly account: Account } | { readonly token: ApiToken };

/** Where somebody has signed in. */
interface Device {
  readonly address: string;
  readonly userAgent: string | null;
}

function toSessionRow(user: User) {
  if ("token" in user) {
    const { id, name } = user.token;
    return { userId: id, userName: name, tokenId: id, account: null, issuer: null, role: null };
  }
  const { account } = user;
  return {
    userId: toCallerId(account),
    userName: nameOf(account),
    tokenId: null,
    account: account.id,
    issuer: account.issuer,
    role: account.role,
  };
}

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
  details: Device & SessionTimes,
): Promise<string> {
  const id = randomBytes(ID_BYTES).toString("base64url");
  const idHash = hash(id);
  const row = toSessionRow(user);
  await storage.transact(async (db) => {
    if ("token" in user) await keepToken(db, user.token.id);
    else await keepAccount(db, user.account.id);
    await db.insert(sessions).values({ ...row, ...details, idHash });
    const surplus = db
      .select({ idHash: sessions.idHash })
      .from(sessions)
      .where(eq(sessions.userId, row.userId))
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

/** Keeps an account from being deleted or disabled until its session is stored. */
async function keepAccount(db: Database, id: number): Promise<void> {
  const found = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, id), isNull(users.disabledAt)))
    .for("share");
  if (found.length > 0) return;
  throw sessionEnded();
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

/** Lists the sessions that have not ended, of all users or of one, newest first. */
export async function listSessions(
  db: Database,
  options: FindOptions,
  userId?: string,
): Promise<readonly SessionView[]> {
  const condition = userId === undefined ? undefined : eq(sessions.userId, userId);
  return (await readSessions(db, condition, options)).map(toSessionView);
}

/** Reads sessions that have not ended, newest first. */
async function readSessions(
  db: Database,
  condition: SQL | undefined,
  options: FindOptions,
): Promise<readonly OpenSession[]> {
  const rows = await db
    .select({ session: sessions, token: apiTokens, account: users })
    .from(sessions)
    .leftJoin(apiTokens, eq(apiTokens.id, sessions.tokenId))
    .leftJoin(users, eq(users.id, sessions.account))
    .where(and(condition, gt(sessions.expiresAt, options.now)))
    .orderBy(desc(sessions.createdAt), sessions.idHash)
    .limit(LIMITS.listedSessions);
  const accounts = rows.flatMap(({ account }) => account ?? []);
  const access = await readProjectAccess(db, accounts);
  return rows.flatMap((row) => {
    const caller = toSessionCaller(row, access, options);
    return caller === undefined ? [] : [{ session: row.session, caller }];
  });
}

interface SessionRow {
  readonly session: Session;
  readonly token: ApiToken | null;
  readonly account: Account | null;
}

/** Returns undefined if the session has ended. */
function toSessionCaller(
  { session, token, account }: SessionRow,
  access: ReadonlyMap<number, ProjectAccess>,
  { issuer, durationMs, now }: FindOptions,
): SessionCaller | undefined {
  const { idHash: sessionHash, createdAt } = session;
  // The setting may have been lowered since the sign-in.
  const latestEndMs = createdAt.getTime() + durationMs;
  const expiresAt = new Date(Math.min(session.expiresAt.getTime(), latestEndMs));
  if (expiresAt <= now) return undefined;
  if (account !== null) {
    const isOfOtherProvider = account.issuer !== null && account.issuer !== issuer;
    if (account.disabledAt !== null || isOfOtherProvider) return undefined;
    const credentials = { sessionHash, personalTokenId: undefined, expiresAt };
    return { ...toAccountCaller(account, accessOf(access, account), credentials), expiresAt };
  }
  const caller = token === null || isExpired(token, now) ? undefined : toCaller(token);
  return caller === undefined ? undefined : { ...caller, sessionHash, expiresAt };
}

/** Describes the user of a session. */
export function toUserView({ name, kind, tokenId, account }: Caller) {
  return {
    name,
    kind,
    id: account?.id ?? null,
    tokenId: tokenId ?? null,
    issuer: account?.issuer ?? null,
    subject: account?.subject ?? null,
  };
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
    address: session.address,
    userAgent: session.userAgent,
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
  // NOTE: everybody can read events, but only the user and admins where somebody has signed in.
  const { address: _address, userAgent: _userAgent, ...state } = toSessionView(found);
  await record({ type: "session-ended", before: state });
}

export async function deleteSession(
  storage: Pick<Storage, "transact">,
  idHash: string,
): Promise<void> {
  await storage.transact((db) => db.delete(sessions).where(eq(sessions.idHash, idHash)));
}
