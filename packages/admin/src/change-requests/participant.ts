import type { FastifyRequest } from "fastify";
import { toRequester } from "../access/person-behind.ts";
import { readProjectAccess, ProjectAccess } from "../access/project-access.ts";
import { type Caller, callerOf } from "../access/request-identity.ts";
import { includesLevel, type Level, roleOfType } from "../access/role.ts";
import { findTokensById } from "../access/token-store.ts";
import { findUser } from "../accounts/user-store.ts";
import type { Database } from "../storage/database.ts";
import type { Requester } from "../storage/schema/change-requests.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import type { Performer } from "./actions.ts";

/** Somebody who works on a change request. */
export interface Participant {
  readonly requester: Requester;
  readonly performer: Performer;
  /** Whether a person acts, in a session or with a personal token, and not an API token. */
  readonly isPerson: boolean;
}

/** Returns who has sent a request. */
export async function toParticipant(
  { db, actor }: WriteTransaction,
  request: FastifyRequest,
): Promise<Participant> {
  const caller = callerOf(request);
  return {
    requester: await toRequester(db, actor),
    performer: toPerformer(caller),
    isPerson: caller.account !== undefined,
  };
}

export function toPerformer({ role, projects }: Pick<Caller, "projects" | "role">): Performer {
  return { role, access: projects };
}

/**
 * Finds out what somebody may do who has scheduled a request; undefined if the account or the token no longer exists, or
 * is disabled or expired.
 */
export async function findPerformer(
  db: Database,
  { kind, id }: Requester,
): Promise<Performer | undefined> {
  if (id === null) return undefined;
  if (kind === "user") {
    const account = await findUser(db, Number(id));
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

/** Whether two are the same person, or the same token. */
export function isSame(one: Requester, other: Requester): boolean {
  if (one.userId !== null && one.userId === other.userId) return true;
  return one.kind === other.kind && one.id === other.id;
}
