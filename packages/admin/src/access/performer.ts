import { eq } from "drizzle-orm";
import type { Database } from "../storage/database.ts";
import type { Actor } from "../storage/events.ts";
import { users } from "../storage/schema/accounts.ts";
import { ProjectAccess, readProjectAccess } from "./project-access.ts";
import type { Caller } from "./request-identity.ts";
import { includesLevel, type Level, type Role, roleOfType } from "./role.ts";
import { findTokensById } from "./token-store.ts";

/** What somebody may do in whose name a change is made, perhaps later. */
export interface Performer {
  readonly role: Role;
  readonly access: ProjectAccess;
}

export function toPerformer({ role, projects }: Pick<Caller, "projects" | "role">): Performer {
  return { role, access: projects };
}

/**
 * Finds out what somebody may do now who has asked for something earlier; undefined if the account or the token no longer
 * exists, or is disabled or expired.
 */
export async function findPerformer(
  db: Database,
  { kind, id }: Actor,
): Promise<Performer | undefined> {
  if (id === null) return undefined;
  if (kind === "user") {
    const [account] = await db
      .select()
      .from(users)
      .where(eq(users.id, Number(id)));
    if (account === undefined || account.disabledAt !== null) return undefined;
    const access = (await readProjectAccess(db, [account])).get(account.id);
    return access === undefined ? undefined : { role: account.role, access };
  }
  const token = (await findTokensById(db, [id])).get(id);
  const role = token === undefined ? undefined : roleOfType(token.type);
  return role === undefined ? undefined : { role, access: ProjectAccess.everywhere(role) };
}

/** Whether somebody may do in a project what requires a level. */
export function mayDo({ access }: Performer, project: string, required: Level): boolean {
  const level = access.levelIn(project);
  return level !== undefined && includesLevel(level, required);
}
