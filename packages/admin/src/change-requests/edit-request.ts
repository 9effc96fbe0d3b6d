import { and, eq } from "drizzle-orm";
import { mayDo } from "../access/performer.ts";
import { ApiError, badData, exceedsLimit, invalidOperation, notFound } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { checkProjectEnvironment, getActiveProject } from "../domain/projects/store.ts";
import type { Place } from "../storage/protected-places.ts";
import { findAffected } from "../storage/require-approvals.ts";
import { type Database, firstRow, isOneOf } from "../storage/database.ts";
import type { EventType } from "../storage/events.ts";
import { users } from "../storage/schema/accounts.ts";
import {
  changeRequestChanges,
  changeRequestReviewers,
  changeRequestReviews,
  changeRequests,
} from "../storage/schema/change-requests.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { tryOut } from "../storage/try-out.ts";
import { checkChange, type RequestedChange } from "./actions.ts";
import { isSame, type Participant } from "./participant.ts";
import type { EditChange } from "./schemas.ts";
import {
  type ChangeRequest,
  countRequests,
  findRequests,
  getRequest,
  IS_OPEN,
  isOpen,
} from "./store.ts";
import { type ExpectedChange, makeChanges } from "./try-changes.ts";

interface AddOptions {
  readonly participant: Participant;
  /** Whether to add to the draft of the participant. @default true */
  readonly joinsDraft?: boolean;
  /** The path of an added change in the request. */
  readonly pathOf: (index: number) => string;
}

/**
 * Adds changes to the draft of somebody in a place, or to a new one. They are tried out: what they would do is stored, to
 * show it to reviewers, and to notice later what others have changed.
 *
 * @throws {ApiError} if one of the changes cannot be made, or there are too many
 */
export async function addChanges(
  transaction: WriteTransaction,
  place: Place,
  added: readonly RequestedChange[],
  { participant, joinsDraft = true, pathOf }: AddOptions,
): Promise<ChangeRequest> {
  const { db } = transaction;
  await getActiveProject(db, place.project);
  await checkProjectEnvironment(db, place.project, place.environment);
  for (const [index, change] of added.entries()) checkChange(change, pathOf(index));
  const draft = joinsDraft ? await findDraft(db, place, participant) : undefined;
  const request = draft ?? (await create(transaction, place, participant));
  if (request.changes.length + added.length > LIMITS.changesPerRequest) {
    throw exceedsLimit("changes in a request", LIMITS.changesPerRequest);
  }
  // NOTE: ids of changes are positive.
  const numbered = added.map((change, index) => ({ ...change, id: -index, expected: undefined }));
  const outcomes = await tryChanges(transaction, place, [...request.changes, ...numbered], {
    participant,
    pathOf: (id) => (id > 0 ? `/changes/${id}` : pathOf(-id)),
  });
  const made = outcomes.slice(request.changes.length);
  await db.insert(changeRequestChanges).values(
    added.map(({ action, feature, payload }, index) => ({
      action,
      feature,
      payload,
      request: request.id,
      expected: made[index]?.events ?? [],
      affected: made[index]?.affected ?? [],
      createdBy: participant.requester,
    })),
  );
  await db
    .update(changeRequests)
    .set({ updatedAt: new Date() })
    .where(eq(changeRequests.id, request.id));
  await record(
    transaction,
    request,
    ...added.map((change) => toChangeEvent("change-added", change)),
  );
  return getRequest(db, place.project, request.id);
}

async function findDraft(
  db: Database,
  { project, environment }: Place,
  { requester }: Participant,
): Promise<ChangeRequest | undefined> {
  const drafts = await findRequests(
    db,
    and(
      eq(changeRequests.project, project),
      eq(changeRequests.environment, environment),
      eq(changeRequests.state, "Draft"),
    ),
  );
  return drafts.find(
    ({ createdBy }) => createdBy.kind === requester.kind && createdBy.id === requester.id,
  );
}

async function create(
  transaction: WriteTransaction,
  place: Place,
  { requester }: Participant,
): Promise<ChangeRequest> {
  const { db } = transaction;
  const open = await countRequests(db, and(eq(changeRequests.project, place.project), IS_OPEN));
  if (open >= LIMITS.openRequestsPerProject) {
    throw exceedsLimit("open change requests in a project", LIMITS.openRequestsPerProject);
  }
  const { project, environment } = place;
  const { id } = firstRow(
    await db
      .insert(changeRequests)
      .values({
        project,
        environment,
        title: "",
        createdBy: requester,
        stateTimes: stateTime("Draft"),
      })
      .returning(),
  );
  await db
    .update(changeRequests)
    .set({ title: `Change request #${id}` })
    .where(eq(changeRequests.id, id));
  const request = await getRequest(db, project, id);
  await record(transaction, request, { type: "change-request-created" });
  return request;
}

/** Returns when a request enters a state. */
export function stateTime(state: string): Readonly<Record<string, string>> {
  return { [state]: new Date().toISOString() };
}

interface TryOptions {
  readonly participant: Participant;
  readonly pathOf: (id: number) => string;
}

/** Makes changes and undoes them. Returns what they did, and where. */
function tryChanges(
  transaction: WriteTransaction,
  place: Place,
  changes: readonly ExpectedChange[],
  { participant, pathOf }: TryOptions,
) {
  return tryOut(transaction, async () => {
    const { performer } = participant;
    const outcomes = await makeChanges(transaction, place, changes, { performer, pathOf });
    const located = [];
    for (const { id, events } of outcomes) {
      // oxlint-disable-next-line no-await-in-loop -- a transaction runs one statement at a time
      located.push({ id, events, affected: await findAffected(transaction.db, events) });
    }
    return located;
  });
}

/** Replaces the payload of a change. This deletes the approvals of the request. */
export async function editChange(
  transaction: WriteTransaction,
  request: ChangeRequest,
  {
    changeId,
    body,
    participant,
  }: { readonly changeId: number; readonly body: EditChange; readonly participant: Participant },
): Promise<void> {
  checkEditable(request, participant);
  const index = request.changes.findIndex(({ id }) => id === changeId);
  const before = request.changes[index];
  if (before === undefined) throw unknownChange(request, changeId);
  const { action = before.action, payload = null } = body;
  const edited = { ...before, action, payload, expected: undefined };
  checkChange(edited, "/body");
  const outcomes = await tryChanges(
    transaction,
    request,
    [...request.changes.slice(0, index), edited],
    { participant, pathOf: (id) => (id === changeId ? "/body" : `/changes/${id}`) },
  );
  const { events = [], affected = [] } = outcomes.at(-1) ?? {};
  await transaction.db
    .update(changeRequestChanges)
    .set({ action, payload, expected: events, affected, createdBy: participant.requester })
    .where(eq(changeRequestChanges.id, changeId));
  await voidReviews(transaction, request);
  await record(transaction, request, toChangeEvent("change-edited", edited));
}

/** Removes a change from a request. This deletes its approvals. A draft without changes disappears. */
export async function removeChange(
  transaction: WriteTransaction,
  request: ChangeRequest,
  { changeId, participant }: { readonly changeId: number; readonly participant: Participant },
): Promise<void> {
  checkEditable(request, participant);
  const removed = request.changes.find(({ id }) => id === changeId);
  if (removed === undefined) throw unknownChange(request, changeId);
  if (request.changes.length === 1) {
    if (request.storedState === "Draft") return discard(transaction, request, participant);
    throw invalidOperation("This is the only change of the request: cancel the request instead");
  }
  await transaction.db.delete(changeRequestChanges).where(eq(changeRequestChanges.id, changeId));
  await voidReviews(transaction, request);
  await record(transaction, request, toChangeEvent("change-discarded", removed));
}

/** Deletes a draft. */
export async function discard(
  transaction: WriteTransaction,
  request: ChangeRequest,
  participant: Participant,
): Promise<void> {
  checkEditable(request, participant);
  if (request.storedState !== "Draft") {
    throw invalidOperation(
      "Only drafts can be deleted: set the state of this request to Cancelled",
    );
  }
  await transaction.db.delete(changeRequests).where(eq(changeRequests.id, request.id));
  await record(transaction, request, { type: "change-request-discarded" });
}

export async function rename(
  transaction: WriteTransaction,
  request: ChangeRequest,
  { title, participant }: { readonly title: string; readonly participant: Participant },
): Promise<void> {
  checkEditable(request, participant);
  await transaction.db
    .update(changeRequests)
    .set({ title: title.trim() })
    .where(eq(changeRequests.id, request.id));
}

/** Asks people to review a request, instead of those who have been asked before. */
export async function askReviewers(
  transaction: WriteTransaction,
  request: ChangeRequest,
  {
    reviewers,
    participant,
  }: { readonly reviewers: readonly number[]; readonly participant: Participant },
): Promise<void> {
  checkEditable(request, participant);
  const { db } = transaction;
  const found = await db.select().from(users).where(isOneOf(users.id, reviewers));
  const unknown = reviewers.find((id) => !found.some((user) => user.id === id));
  if (unknown !== undefined) {
    throw badData(
      "/body/reviewers",
      `must contain ids of accounts: there is none with the id ${unknown}`,
    );
  }
  await db.delete(changeRequestReviewers).where(eq(changeRequestReviewers.request, request.id));
  if (found.length > 0) {
    await db
      .insert(changeRequestReviewers)
      .values(found.map(({ id }) => ({ request: request.id, userId: id })));
  }
  await record(transaction, request, {
    type: "change-request-requested-approvers-updated",
    before: request.reviewers.map(({ id }) => id),
    after: found.map(({ id }) => id),
  });
}

/** Who has requested a change edits it, so that the approvals of others mean what they have seen. */
function checkEditable(request: ChangeRequest, { requester, performer }: Participant): void {
  if (!isOpen(request)) {
    throw invalidOperation(`The request is ${request.state.toLowerCase()}: create a new one`);
  }
  if (isSame(request.createdBy, requester) && mayDo(performer, request.project, "editor")) return;
  throw new ApiError(
    "PermissionError",
    `Only ${JSON.stringify(request.createdBy.name)}, who created the request, can edit it`,
  );
}

function unknownChange({ id }: ChangeRequest, changeId: number): ApiError {
  return notFound(`The change request ${id} has no change ${changeId}`);
}

/** Deletes the reviews of a request whose changes have changed, and its schedule. */
async function voidReviews(
  { db }: WriteTransaction,
  { id, storedState }: ChangeRequest,
): Promise<void> {
  await db.delete(changeRequestReviews).where(eq(changeRequestReviews.request, id));
  await db
    .update(changeRequests)
    .set({
      updatedAt: new Date(),
      ...(storedState === "Scheduled" && { state: "In review", ...NO_SCHEDULE }),
    })
    .where(eq(changeRequests.id, id));
}

/** The columns of a request that is not scheduled. */
export const NO_SCHEDULE = {
  scheduledAt: null,
  scheduledBy: null,
  scheduleStatus: null,
  scheduleReason: null,
  retryingSince: null,
} as const;

interface RequestEvent {
  readonly type: EventType;
  readonly feature?: string | undefined;
  readonly before?: unknown;
  /** More about what has happened. */
  readonly after?: unknown;
}

function toChangeEvent(type: EventType, { feature, action }: RequestedChange): RequestEvent {
  return { type, feature: feature ?? undefined, after: { action } };
}

/** Records what has happened to a request. */
export async function record(
  transaction: WriteTransaction,
  {
    id,
    title,
    project,
    environment,
  }: Pick<ChangeRequest, "environment" | "id" | "project" | "title">,
  ...events: readonly RequestEvent[]
): Promise<void> {
  await transaction.record(
    ...events.map(({ type, feature, before, after }) => ({
      type,
      project,
      environment,
      feature,
      changeRequestId: id,
      ...(before !== undefined && { before: { changeRequestId: id, value: before } }),
      after: {
        changeRequestId: id,
        title,
        ...(Array.isArray(after) ? { value: after } : (after as object | undefined)),
      },
    })),
  );
}
