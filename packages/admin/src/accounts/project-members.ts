import { and, asc, eq } from "drizzle-orm";
import { badData, invalidOperation } from "../errors.ts";
import type { Caller } from "../access/request-identity.ts";
import { getProject } from "../domain/projects/store.ts";
import { type Database, groupBy, isOneOf } from "../storage/database.ts";
import { projectMembers, users } from "../storage/schema/accounts.ts";
import type { EventType } from "../storage/events.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { PROJECT_ROLES, type ProjectRole } from "./roles.ts";
import { namesOf } from "../access/account.ts";

const ROLE_OF_ID: ReadonlyMap<number, ProjectRole> = new Map(
  Object.entries(PROJECT_ROLES).map(([role, { id }]) => [id, role as ProjectRole]),
);

/** Reads a role from a body. @throws {ApiError} 400 if it is not a role in projects */
export function readProjectRole(id: number, path: string): ProjectRole {
  const role = ROLE_OF_ID.get(id);
  if (role !== undefined) return role;
  throw badData(path, "must be 4 (Owner) or 5 (Member)");
}

/** Lists who has a role in a project, oldest members first. The claims of OpenID Connect can add roles to assigned ones. */
export async function listMembers(db: Database, project: string) {
  await getProject(db, project);
  const rows = await db
    .select({
      id: users.id,
      name: users.name,
      username: users.username,
      email: users.email,
      disabledAt: users.disabledAt,
      role: projectMembers.role,
      source: projectMembers.source,
      addedAt: projectMembers.addedAt,
    })
    .from(projectMembers)
    .innerJoin(users, eq(users.id, projectMembers.userId))
    .where(eq(projectMembers.project, project))
    .orderBy(asc(projectMembers.addedAt), asc(users.id));
  return [...groupBy(rows, ({ id }) => id).values()].map(toMemberView);
}

interface MemberRow {
  readonly id: number;
  readonly name: string;
  readonly username: string | null;
  readonly email: string | null;
  readonly disabledAt: Date | null;
  readonly role: ProjectRole;
  readonly source: "assigned" | "claims";
  readonly addedAt: Date;
}

function toMemberView(rows: readonly MemberRow[]) {
  const [first] = rows;
  if (first === undefined) throw new TypeError("A member has at least one role");
  const { id, disabledAt, addedAt } = first;
  const roles = new Set(rows.map(({ role }) => role));
  return {
    id,
    ...namesOf(first),
    addedAt,
    disabled: disabledAt !== null,
    roleId: PROJECT_ROLES[roles.has("owner") ? "owner" : "member"].id,
    roles: Array.from(roles, (role) => PROJECT_ROLES[role].id).toSorted((a, b) => a - b),
    /** Those that come from the claims of OpenID Connect, and change only with them. */
    rolesFromClaims: rows.flatMap((row) =>
      row.source === "claims" ? PROJECT_ROLES[row.role].id : [],
    ),
  };
}

/** The roles in a project, by account. Somebody without one is absent. */
export type Assignments = ReadonlyMap<number, ProjectRole>;

/** What changes the roles in a project. */
export interface AccessChange {
  readonly project: string;
  readonly caller: Caller;
  readonly type: EventType;
  /** Returns the new assignments. @param assigned the current ones */
  readonly change: (assigned: Assignments) => Assignments;
}

/**
 * Changes who has which role in a project.
 *
 * @throws {ApiError} 404 if the project is unknown; 400 if a user is; 403 if an owner would leave the project without owners
 */
export async function changeAccess(
  { db, record }: WriteTransaction,
  { project, caller, type, change }: AccessChange,
): Promise<void> {
  await getProject(db, project);
  const assigned = eq(projectMembers.source, "assigned");
  const current = and(eq(projectMembers.project, project), assigned);
  const rows = await db.select().from(projectMembers).where(current);
  const before = new Map(rows.map(({ userId, role }) => [userId, role]));
  const after = change(before);
  await checkUsers(
    db,
    [...after.keys()].filter((id) => !before.has(id)),
  );
  const removed = [...before.keys()].filter((id) => !after.has(id));
  if (removed.length > 0) {
    await db.delete(projectMembers).where(and(current, isOneOf(projectMembers.userId, removed)));
  }
  const changed = [...after].filter(([id, role]) => before.get(id) !== role);
  for (const [userId, role] of changed) {
    // oxlint-disable-next-line no-await-in-loop -- a transaction runs one statement at a time
    await db
      .insert(projectMembers)
      .values({ project, userId, role })
      .onConflictDoUpdate({
        target: [projectMembers.project, projectMembers.userId, projectMembers.source],
        set: { role },
      });
  }
  await keepOwner(db, project, caller, before);
  await record({ type, project, before: toEventState(before), after: toEventState(after) });
}

function toEventState(assignments: Assignments) {
  const members = [...assignments].toSorted(([a], [b]) => a - b);
  return { members: members.map(([userId, role]) => ({ userId, role })) };
}

async function checkUsers(db: Database, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = await db.select({ id: users.id }).from(users).where(isOneOf(users.id, ids));
  const known = new Set(rows.map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw badData("/body", `must name users: there is no user ${unknown}`);
}

/** NOTE: admins, and programs with a token of an admin, can appoint an owner later. */
async function keepOwner(
  db: Database,
  project: string,
  { role }: Caller,
  before: Assignments,
): Promise<void> {
  if (role === "admin" || ![...before.values()].includes("owner")) return;
  const [owner] = await db
    .select({ id: projectMembers.userId })
    .from(projectMembers)
    .where(and(eq(projectMembers.project, project), eq(projectMembers.role, "owner")))
    .limit(1);
  if (owner !== undefined) return;
  throw invalidOperation(
    "The project would have no owner: make somebody else an owner first, or ask an admin",
  );
}
