import { and, eq } from "drizzle-orm";
import { mayDo } from "../access/performer.ts";
import { ApiError, badData, exceedsLimit, invalidOperation } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import {
  changeRequestComments,
  changeRequestReviews,
  changeRequests,
  type StoredState,
} from "../storage/schema/change-requests.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { applyRequest, checkRequest } from "./apply-request.ts";
import { NO_SCHEDULE, record, stateTime } from "./edit-request.ts";
import { isAuthor, isSame, type Participant } from "./participant.ts";
import { readTime } from "./schedule-time.ts";
import type { State, StateChange } from "./schemas.ts";
import { type ChangeRequest, describeConflict, getRequest, isOpen } from "./store.ts";

/** Moves a request to another state. */
type Move = (
  transaction: WriteTransaction,
  request: ChangeRequest,
  options: { readonly participant: Participant; readonly body: StateChange },
) => Promise<void>;

/**
 * Moves a request to another state, and adds the comment.
 *
 * @throws {ApiError} if the request cannot get there from its state, or the participant may not move it
 */
export async function changeState(
  transaction: WriteTransaction,
  request: ChangeRequest,
  options: { readonly participant: Participant; readonly body: StateChange },
): Promise<ChangeRequest> {
  const { state, comment, scheduledAt } = options.body;
  if (!isOpen(request)) {
    throw invalidOperation(`The request is ${request.state.toLowerCase()}: create a new one`);
  }
  if (scheduledAt !== undefined && state !== "Scheduled") {
    throw badData("/body/scheduledAt", "must be absent unless the state is Scheduled");
  }
  await MOVES[state](transaction, request, options);
  if (comment !== undefined && comment.trim() !== "") {
    await addComment(transaction, request, { text: comment, participant: options.participant });
  }
  return getRequest(transaction.db, request.project, request.id);
}

const MOVES: Readonly<Record<State, Move>> = {
  Draft: async () => {
    throw badData("/body/state", "cannot be Draft: a request in review can be edited as it is");
  },
  "In review": submit,
  Approved: approve,
  Rejected: reject,
  Cancelled: cancel,
  Scheduled: schedule,
  Applied: apply,
};

/** Sends a draft to review, or ends a schedule. A request that lacks approvals is then sent to review as well. */
async function submit(
  transaction: WriteTransaction,
  request: ChangeRequest,
  { participant }: { readonly participant: Participant },
): Promise<void> {
  if (request.storedState === "In review") return;
  requireCreatorOrOwner(request, participant);
  await enter(transaction, request, "In review", NO_SCHEDULE);
  const isDraft = request.storedState === "Draft";
  if (!isDraft) await record(transaction, request, { type: "change-request-unscheduled" });
  if (isDraft || !isApproved(request)) {
    await record(transaction, request, { type: "change-request-sent-to-review" });
  }
}

/** Adds an approval. */
async function approve(
  transaction: WriteTransaction,
  request: ChangeRequest,
  { participant }: { readonly participant: Participant },
): Promise<void> {
  requireReviewer(request, participant);
  await review(transaction, request, { participant, approved: true });
  await record(transaction, request, { type: "change-request-approval-added" });
  const { state, approvalCount } = await getRequest(transaction.db, request.project, request.id);
  if (request.state !== "Approved" && state === "Approved" && approvalCount > 0) {
    await setStateTime(transaction, request, "Approved");
    await record(transaction, request, { type: "change-request-approved" });
  }
}

async function reject(
  transaction: WriteTransaction,
  request: ChangeRequest,
  { participant }: { readonly participant: Participant },
): Promise<void> {
  requireReviewer(request, participant);
  await review(transaction, request, { participant, approved: false });
  await enter(transaction, request, "Rejected", NO_SCHEDULE);
  await record(transaction, request, { type: "change-request-rejected" });
}

async function cancel(
  transaction: WriteTransaction,
  request: ChangeRequest,
  { participant }: { readonly participant: Participant },
): Promise<void> {
  requireCreatorOrOwner(request, participant);
  await enter(transaction, request, "Cancelled", NO_SCHEDULE);
  await record(transaction, request, { type: "change-request-cancelled" });
}

/** Schedules a request, or moves its schedule. It is checked now, and again when it is applied. */
async function schedule(
  transaction: WriteTransaction,
  request: ChangeRequest,
  { participant, body }: { readonly participant: Participant; readonly body: StateChange },
): Promise<void> {
  const { requester } = participant;
  const scheduledAt = await readTime(transaction.db, body.scheduledAt);
  requireApproved(request, "scheduled");
  const conflicts = [...(await checkRequest(transaction, request, participant)).values()].flat();
  const [conflict] = conflicts;
  if (conflict !== undefined) throw new ApiError("ConflictError", describeConflict(conflict));
  await enter(transaction, request, "Scheduled", {
    ...NO_SCHEDULE,
    scheduledAt,
    scheduledBy: requester,
    scheduleStatus: "pending",
  });
  await record(transaction, request, {
    type: "change-request-scheduled",
    after: { scheduledAt: scheduledAt.toISOString() },
  });
}

async function apply(
  transaction: WriteTransaction,
  request: ChangeRequest,
  { participant, body }: { readonly participant: Participant; readonly body: StateChange },
): Promise<void> {
  if (isApproved(request)) {
    requireApproved(request, "applied");
    await applyRequest(transaction, request, { applier: participant });
    return;
  }
  if (!mayDo(participant.performer, request.project, "owner")) {
    throw new ApiError(
      "PermissionError",
      `The request has ${request.approvalCount} of ${request.minApprovals} approvals. Only an owner of the project can apply it without them, with a reason in \`comment\``,
    );
  }
  const skipReason = body.comment?.trim() ?? "";
  if (skipReason === "") {
    throw badData(
      "/body/comment",
      "is missing: say why the request is applied without the approvals that it requires",
    );
  }
  await applyRequest(transaction, request, { applier: participant, skipReason });
}

function isApproved({ approvalCount, minApprovals }: ChangeRequest): boolean {
  return approvalCount >= minApprovals;
}

/** Where nobody must approve, a draft can be applied and scheduled as it is. */
function requireApproved(request: ChangeRequest, what: string): void {
  if (!isApproved(request)) {
    throw invalidOperation(
      `The request has ${request.approvalCount} of ${request.minApprovals} approvals, so it cannot be ${what} yet`,
    );
  }
}

/**
 * An approval counts for one person, who is neither the author of the request nor of one of its changes, not even through
 * a token.
 */
function requireReviewer(request: ChangeRequest, participant: Participant): void {
  if (request.storedState !== "In review") {
    throw invalidOperation(
      `The request is ${request.state === "Draft" ? "a draft" : request.state.toLowerCase()}: only requests in review can be reviewed`,
    );
  }
  if (!participant.isPerson) {
    throw new ApiError(
      "PermissionError",
      "Only people review requests, and this is an API token: sign in with an account, or use a personal token",
    );
  }
  if (isAuthor(request, participant.requester)) {
    throw new ApiError(
      "PermissionError",
      "Nobody reviews what they have requested themselves, not even through a token: ask somebody else",
    );
  }
}

function requireCreatorOrOwner(
  request: ChangeRequest,
  { requester, performer }: Participant,
): void {
  if (isSame(request.createdBy, requester)) return;
  if (mayDo(performer, request.project, "owner")) return;
  throw new ApiError(
    "PermissionError",
    `Only ${JSON.stringify(request.createdBy.name)}, who created the request, or an owner of the project can do this`,
  );
}

async function review(
  { db }: WriteTransaction,
  { id }: ChangeRequest,
  { participant, approved }: { readonly participant: Participant; readonly approved: boolean },
): Promise<void> {
  const { userId } = participant.requester;
  if (userId === null) throw new TypeError("A person who reviews a request has an account");
  await db
    .delete(changeRequestReviews)
    .where(and(eq(changeRequestReviews.request, id), eq(changeRequestReviews.userId, userId)));
  await db.insert(changeRequestReviews).values({ request: id, userId, approved });
}

async function enter(
  transaction: WriteTransaction,
  request: ChangeRequest,
  state: StoredState,
  columns: Partial<typeof changeRequests.$inferInsert>,
): Promise<void> {
  await transaction.db
    .update(changeRequests)
    .set({ ...columns, state })
    .where(eq(changeRequests.id, request.id));
  await setStateTime(transaction, request, state);
}

async function setStateTime(
  { db }: WriteTransaction,
  { id, stateTimes }: ChangeRequest,
  state: State,
): Promise<void> {
  await db
    .update(changeRequests)
    .set({ stateTimes: { ...stateTimes, ...stateTime(state) } })
    .where(eq(changeRequests.id, id));
}

/** Adds a comment. */
export async function addComment(
  transaction: WriteTransaction,
  request: ChangeRequest,
  { text, participant }: { readonly text: string; readonly participant: Participant },
): Promise<void> {
  if (request.comments.length >= LIMITS.commentsPerRequest) {
    throw exceedsLimit("comments on a change request", LIMITS.commentsPerRequest);
  }
  await transaction.db
    .insert(changeRequestComments)
    .values({ request: request.id, text: text.trim(), createdBy: participant.requester });
  await record(transaction, request, {
    type: "change-request-comment-added",
    after: { comment: text.trim() },
  });
}
