import type { FastifyRequest } from "fastify";
import { type Performer, toPerformer } from "../access/performer.ts";
import { toRequester } from "../access/person-behind.ts";
import { callerOf } from "../access/request-identity.ts";
import type { Requester } from "../storage/schema/change-requests.ts";
import type { WriteTransaction } from "../storage/storage.ts";

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

interface Authored {
  readonly createdBy: Requester;
  readonly changes: readonly { readonly createdBy: Requester }[];
}

/** Whether somebody has created a request, or one of its changes. */
export function isAuthor({ createdBy, changes }: Authored, requester: Requester): boolean {
  return [createdBy, ...changes.map((change) => change.createdBy)].some((author) =>
    isSame(author, requester),
  );
}

/** Whether two are the same person, or the same token. */
export function isSame(one: Requester, other: Requester): boolean {
  if (one.userId !== null && one.userId === other.userId) return true;
  return one.kind === other.kind && one.id === other.id;
}
