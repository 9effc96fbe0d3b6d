import { eq } from "drizzle-orm";
import { ApiError } from "../errors.ts";
import { changeRequests } from "../storage/schema/change-requests.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { tryOut } from "../storage/try-out.ts";
import { NO_SCHEDULE, record, stateTime } from "./edit-request.ts";
import type { Conflict } from "./expectation.ts";
import type { Participant } from "./participant.ts";
import { type ChangeRequest, describeConflict } from "./store.ts";
import { makeChanges, type Outcome } from "./try-changes.ts";

type Applier = Pick<Participant, "performer" | "requester">;

const pathOf = (id: number) => `/changes/${id}`;

interface ApplyOptions {
  readonly applier: Applier;
  /** Why it is applied without the approvals that it requires; undefined if it has them. */
  readonly skipReason?: string | undefined;
  /** Whether it is due. Then its schedule stays, to show when it was. @default false */
  readonly isScheduled?: boolean;
}

/**
 * Makes all changes of a request.
 *
 * @throws {ApiError} 409 if somebody else has changed what it changes, and others if a change cannot be made any more. The
 *   storage throws a 403 if the request has too few approvals
 */
export async function applyRequest(
  transaction: WriteTransaction,
  request: ChangeRequest,
  { applier, skipReason, isScheduled = false }: ApplyOptions,
): Promise<void> {
  const { performer, requester } = applier;
  const outcomes = await makeChanges(transaction, request, request.changes, { performer, pathOf });
  requireNoConflicts(outcomes);
  transaction.approve(skipReason === undefined ? request.approvalCount : Number.POSITIVE_INFINITY);
  const { id: changeRequestId } = request;
  await transaction.record(
    ...outcomes.flatMap(({ events }) => events.map((event) => ({ ...event, changeRequestId }))),
  );
  await transaction.db
    .update(changeRequests)
    .set({
      ...(!isScheduled && NO_SCHEDULE),
      state: "Applied",
      stateTimes: { ...request.stateTimes, ...stateTime("Applied") },
      appliedBy: requester,
      requiredApprovals: request.minApprovals,
      skipReason: skipReason ?? null,
    })
    .where(eq(changeRequests.id, request.id));
  await record(transaction, request, {
    type: isScheduled ? "change-request-scheduled-application-success" : "change-request-applied",
    after: { features: [...new Set(request.changes.flatMap(({ feature }) => feature ?? []))] },
  });
  if (skipReason === undefined) return;
  await record(transaction, request, {
    type: "change-request-applied-without-approval",
    after: { reason: skipReason },
  });
}

export function requireNoConflicts(outcomes: readonly Outcome[]): void {
  const conflicts = outcomes.flatMap(({ id, conflicts: found }) =>
    found.map((conflict) => ({ id, conflict })),
  );
  const [first] = conflicts;
  if (first === undefined) return;
  const others = conflicts.length === 1 ? "" : `, and ${conflicts.length - 1} more`;
  throw new ApiError(
    "ConflictError",
    `Somebody has changed what this request changes: ${describeConflict(first.conflict)}${others}. Edit the change, or create a new request`,
    {
      details: conflicts.map(({ id, conflict }) => ({
        message: describeConflict(conflict),
        path: `${pathOf(id)}${conflict.field === "" ? "" : `/${conflict.field.replaceAll(".", "/")}`}`,
        conflict: { was: conflict.was, now: conflict.now },
      })),
    },
  );
}

/**
 * Finds out whether a request could be applied now. Returns the conflicts of its changes, by id.
 *
 * @throws {ApiError} if a change cannot be made any more
 */
export async function checkRequest(
  transaction: WriteTransaction,
  request: ChangeRequest,
  { performer }: Pick<Participant, "performer">,
): Promise<ReadonlyMap<number, readonly Conflict[]>> {
  const outcomes = await tryOut(transaction, () =>
    makeChanges(transaction, request, request.changes, { performer, pathOf }),
  );
  return new Map(outcomes.map(({ id, conflicts }) => [id, conflicts]));
}
