import { and, count, eq, gt, ilike, isNull, ne, or, sql } from "drizzle-orm";
import type { Account } from "../access/account.ts";
import type { Role } from "../access/role.ts";
import { badData, invalidOperation, notFound } from "../errors.ts";
import { type Database, firstRow, likePattern } from "../storage/database.ts";
import { sessions } from "../storage/schema/access.ts";
import { userLinks, users } from "../storage/schema/accounts.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { checkNewPassword, hashPassword } from "./password.ts";
import { findUsernameProblem } from "./username.ts";
import { toUserStates } from "./user-view.ts";

/** Lists all accounts, oldest first. */
export function listUsers(db: Database): Promise<Account[]> {
  return db.select().from(users).orderBy(users.id);
}

/** Finds the ids of the accounts with a link that is still open, by kind. */
export async function findInvited(db: Database): Promise<ReadonlySet<number>> {
  const rows = await db
    .select({ id: userLinks.userId })
    .from(userLinks)
    .where(
      and(
        eq(userLinks.kind, "invite"),
        isNull(userLinks.usedAt),
        gt(userLinks.expiresAt, sql`now()`),
      ),
    );
  return new Set(rows.map(({ id }) => id));
}

/** Finds accounts that are not disabled by a part of the user name, name or email address. */
export function searchUsers(db: Database, text: string, limit: number): Promise<Account[]> {
  const pattern = likePattern(text);
  return db
    .select()
    .from(users)
    .where(
      and(
        isNull(users.disabledAt),
        or(ilike(users.username, pattern), ilike(users.name, pattern), ilike(users.email, pattern)),
      ),
    )
    .orderBy(users.id)
    .limit(limit);
}

export async function findUser(db: Database, id: number): Promise<Account | undefined> {
  const [account] = await db.select().from(users).where(eq(users.id, id));
  return account;
}

/** @throws {ApiError} 404 if there is no such account */
export async function getUser(db: Database, id: number): Promise<Account> {
  const account = await findUser(db, id);
  if (account === undefined) throw notFound(`There is no user with the id ${id}`);
  return account;
}

/** Finds the account of a person with a password by user name or email address. */
export async function findLogin(db: Database, login: string): Promise<Account | undefined> {
  // NOTE: a user name contains no `@`, so at most one account matches.
  const column = login.includes("@") ? users.email : users.username;
  const [account] = await db
    .select()
    .from(users)
    .where(and(eq(sql`lower(${column})`, login.trim().toLowerCase()), isNull(users.issuer)));
  return account;
}

/** Whether somebody with an account can change everything. */
export async function hasAdmin(db: Database): Promise<boolean> {
  return (await countAdmins(db)) > 0;
}

async function countAdmins(db: Database, except?: number): Promise<number> {
  const condition = except === undefined ? undefined : ne(users.id, except);
  const rows = await db
    .select({ admins: count() })
    .from(users)
    .where(and(eq(users.role, "admin"), isNull(users.disabledAt), condition));
  return firstRow(rows).admins;
}

export interface NewUser {
  readonly username?: string | undefined;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly role: Role;
  readonly password?: string | undefined;
}

/** Checks the names of an account. `undefined` is a name that stays as it is. */
export async function checkNames(
  db: Database,
  { username, email }: Pick<NewUser, "email" | "username">,
  id?: number,
): Promise<void> {
  const others = id === undefined ? undefined : ne(users.id, id);
  if (username !== undefined) {
    const problem = findUsernameProblem(username);
    if (problem !== undefined) throw badData("/body/username", problem);
    const rows = await db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(sql`lower(${users.username})`, username.toLowerCase()), others));
    if (rows.length > 0) throw badData("/body/username", "is taken: choose another one");
  }
  if (email !== undefined) {
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw badData("/body/email", "must be an email address");
    const rows = await db
      .select({ id: users.id })
      .from(users)
      .where(
        and(eq(sql`lower(${users.email})`, email.toLowerCase()), isNull(users.issuer), others),
      );
    if (rows.length > 0) throw badData("/body/email", "belongs to another account");
  }
}

/** Hashes the password of a new account. NOTE: before the transaction, because it takes most of a second. */
export async function prepareUser({ password, ...user }: NewUser) {
  if (password === undefined) return { ...user, passwordHash: null };
  checkNewPassword(password, [user.username ?? null, user.email ?? null, user.name ?? null]);
  return { ...user, passwordHash: await hashPassword(password) };
}

/**
 * Creates an account.
 *
 * @param user from `prepareUser()`
 * @throws {ApiError} 400 if a name is missing, invalid or taken
 */
export async function createUser(
  { db, actor, record }: WriteTransaction,
  user: Awaited<ReturnType<typeof prepareUser>>,
): Promise<Account> {
  const { username, email, name = "", role, passwordHash } = user;
  if (username === undefined && email === undefined) {
    throw badData("/body", "must have a `username` or an `email`");
  }
  await checkNames(db, user);
  const created = firstRow(
    await db
      .insert(users)
      .values({
        username: username ?? null,
        email: email ?? null,
        name,
        role,
        roleAssigned: true,
        passwordHash,
        createdBy: actor.name,
      })
      .returning(),
  );
  await record({ type: "user-created", ...toUserStates(undefined, created) });
  return created;
}

export interface UserChanges {
  readonly username?: string;
  readonly email?: string;
  readonly name?: string;
  readonly role?: Role;
  readonly disabled?: boolean;
}

/**
 * Changes an account. A disabled one is signed out everywhere.
 *
 * @param isToken whether the caller has an API token, with which admins can be created again
 * @throws {ApiError} 403 if no admin would be left
 */
export async function updateUser(
  { db, record }: WriteTransaction,
  id: number,
  changes: UserChanges,
  isToken: boolean,
): Promise<Account> {
  const before = await getUser(db, id);
  if (before.issuer !== null && (changes.username ?? changes.email ?? changes.name) !== undefined) {
    throw invalidOperation(
      "The names of this user come from the OpenID provider: change them there, or change only the role",
    );
  }
  await checkNames(db, changes, id);
  const { disabled, role, ...names } = changes;
  const losesAdmin = (role !== undefined && role !== "admin") || disabled === true;
  if (losesAdmin) await keepAdmin(db, before, isToken);
  const now = new Date();
  const after = firstRow(
    await db
      .update(users)
      .set({
        ...names,
        ...(role !== undefined && { role, roleAssigned: true }),
        disabledAt:
          disabled === undefined ? before.disabledAt : disabled ? (before.disabledAt ?? now) : null,
      })
      .where(eq(users.id, id))
      .returning(),
  );
  if (after.disabledAt !== null) await endSessions(db, id);
  await record({ type: "user-updated", ...toUserStates(before, after) });
  return after;
}

/**
 * Deletes an account with its sessions, personal tokens and roles in projects.
 *
 * @throws {ApiError} 403 if no admin would be left
 */
export async function deleteUser(
  { db, record }: WriteTransaction,
  id: number,
  isToken: boolean,
): Promise<void> {
  const before = await getUser(db, id);
  await keepAdmin(db, before, isToken);
  await db.delete(users).where(eq(users.id, id));
  await record({ type: "user-deleted", ...toUserStates(before, undefined) });
}

async function keepAdmin(db: Database, account: Account, isToken: boolean): Promise<void> {
  if (isToken || account.role !== "admin" || account.disabledAt !== null) return;
  if ((await countAdmins(db, account.id)) > 0) return;
  throw invalidOperation("This is the only account of an admin: make somebody else an admin first");
}

/**
 * Replaces a password, and ends the sessions of the user and the links to choose one.
 *
 * @param passwordHash from `hashPassword()`
 * @param keptSession hash of the session that continues
 */
export async function replacePassword(
  { db, record }: WriteTransaction,
  account: Account,
  passwordHash: string,
  keptSession?: string,
): Promise<void> {
  const { id } = account;
  await db.update(users).set({ passwordHash }).where(eq(users.id, id));
  await endSessions(db, id, keptSession);
  await db.delete(userLinks).where(and(eq(userLinks.userId, id), isNull(userLinks.usedAt)));
  const [before] = Object.values(toUserStates(account, undefined));
  await record({
    type: "user-updated",
    before,
    after: { ...(before as object), passwordChanged: true },
  });
}

/** Ends the sessions of a user. */
export async function endSessions(db: Database, id: number, kept?: string): Promise<void> {
  const others = kept === undefined ? undefined : ne(sessions.idHash, kept);
  await db.delete(sessions).where(and(eq(sessions.account, id), others));
}
