import { and, eq } from "drizzle-orm";
import type { Account } from "../access/account.ts";
import type { OpenIdUser } from "../access/openid-user.ts";
import type { Role } from "../access/role.ts";
import { type Database, firstRow } from "../storage/database.ts";
import { SYSTEM_ACTOR } from "../storage/events.ts";
import { projectMembers, users } from "../storage/schema/accounts.ts";
import { projects } from "../storage/schema/projects.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";
import { toUserStates } from "./user-view.ts";

/** A role in a project, by the id of the project. */
export interface ProjectRole {
  readonly project: string;
  readonly role: "member" | "owner";
}

/** What a provider says about somebody who signs in. */
export interface OpenIdIdentity extends OpenIdUser {
  readonly name: string;
  /** NOTE: not verified, and never used to find an account. */
  readonly email: string | null;
  /** The role that the claims name. */
  readonly role: Role | undefined;
  /** The roles in projects that the claims name. Those in projects that do not exist are ignored. */
  readonly projectRoles: readonly ProjectRole[];
}

/**
 * Creates the account of somebody who signs in with OpenID Connect, or updates it: the claims decide about the name, the
 * email address and the roles that they name. Without a role in the claims, a role that an admin has chosen stays.
 *
 * @param defaultRole the role without one in the claims; undefined if such users may not sign in
 * @returns undefined if the user has no role
 */
export async function updateOpenIdAccount(
  storage: Pick<Storage, "read" | "write">,
  identity: OpenIdIdentity,
  defaultRole: Role | undefined,
): Promise<Account | undefined> {
  // NOTE: changes run one at a time, so a sign-in that changes nothing only reads.
  const known = await storage.read(async (db) => {
    const account = await findAccount(db, identity);
    if (account === undefined) return undefined;
    const changes = toChanges(identity, account, defaultRole);
    const isCurrent = changes?.isNone === true && (await hasProjectRoles(db, account, identity));
    return { account, isCurrent };
  });
  if (known?.isCurrent === true) return known.account;
  return storage.write(SYSTEM_ACTOR, async (transaction) => {
    const account = await findAccount(transaction.db, identity);
    const changes = toChanges(identity, account, defaultRole);
    if (changes === undefined) return undefined;
    const saved = await save(transaction, account, { ...changes.values, ...identify(identity) });
    await replaceProjectRoles(transaction.db, saved, identity);
    return saved;
  });
}

function identify({ issuer, subject }: OpenIdUser) {
  return { issuer, subject };
}

async function findAccount(
  db: Database,
  { issuer, subject }: OpenIdUser,
): Promise<Account | undefined> {
  const [account] = await db
    .select()
    .from(users)
    .where(and(eq(users.issuer, issuer), eq(users.subject, subject)));
  return account;
}

/** Returns undefined if the user has no role. */
function toChanges(
  { name, email, role: claimed }: OpenIdIdentity,
  account: Account | undefined,
  defaultRole: Role | undefined,
) {
  const kept = account?.roleAssigned === true ? account.role : undefined;
  const role = claimed ?? kept ?? defaultRole;
  if (role === undefined) return undefined;
  const values = { name, email, role, roleAssigned: claimed === undefined && kept !== undefined };
  const isNone =
    account !== undefined &&
    account.name === name &&
    account.email === email &&
    account.role === role &&
    account.roleAssigned === values.roleAssigned;
  return { values, isNone };
}

type Values = Pick<Account, "email" | "issuer" | "name" | "role" | "roleAssigned" | "subject">;

async function save(
  { db, record }: WriteTransaction,
  before: Account | undefined,
  values: Values,
): Promise<Account> {
  const rows =
    before === undefined
      ? await db
          .insert(users)
          .values({ ...values, createdBy: SYSTEM_ACTOR.name })
          .returning()
      : await db.update(users).set(values).where(eq(users.id, before.id)).returning();
  const after = firstRow(rows);
  await record({
    type: before === undefined ? "user-created" : "user-updated",
    ...toUserStates(before, after),
  });
  return after;
}

async function hasProjectRoles(
  db: Database,
  account: Account,
  identity: OpenIdIdentity,
): Promise<boolean> {
  const stored = await readClaimedRoles(db, account);
  const wanted = await toRows(db, account, identity);
  return (
    stored.length === wanted.length &&
    wanted.every((row) =>
      stored.some(({ project, role }) => project === row.project && role === row.role),
    )
  );
}

function readClaimedRoles(db: Database, { id }: Account) {
  return db
    .select()
    .from(projectMembers)
    .where(and(eq(projectMembers.userId, id), eq(projectMembers.source, "claims")));
}

/** Returns the highest role in each project. */
async function toRows(db: Database, { id }: Account, { projectRoles }: OpenIdIdentity) {
  if (projectRoles.length === 0) return [];
  const existing = new Set(
    (await db.select({ id: projects.id }).from(projects)).map((row) => row.id),
  );
  const roles = new Map<string, ProjectRole["role"]>();
  for (const { project, role } of projectRoles) {
    if (existing.has(project) && roles.get(project) !== "owner") roles.set(project, role);
  }
  return [...roles].map(([project, role]) => ({
    project,
    role,
    userId: id,
    source: "claims" as const,
  }));
}

async function replaceProjectRoles(
  db: Database,
  account: Account,
  identity: OpenIdIdentity,
): Promise<void> {
  const rows = await toRows(db, account, identity);
  await db
    .delete(projectMembers)
    .where(and(eq(projectMembers.userId, account.id), eq(projectMembers.source, "claims")));
  if (rows.length > 0) await db.insert(projectMembers).values(rows);
}
