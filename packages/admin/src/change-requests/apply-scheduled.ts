import { and, eq, lte, ne } from "drizzle-orm";
import type { Logger } from "flags-server-kit/neutral";
import { findPerformer, mayDo } from "../access/performer.ts";
import type { ApiError } from "../errors.ts";
import { toApiError } from "../http/to-api-error.ts";
import { type Database, databaseTime } from "../storage/database.ts";
import { findStricter, readProtectedPlaces } from "../storage/protected-places.ts";
import { ApprovalsMissingError } from "../storage/require-approvals.ts";
import { changeRequests, type Requester } from "../storage/schema/change-requests.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";
import { applyRequest } from "./apply-request.ts";
import { record } from "./edit-request.ts";
import { type ChangeRequest, findRequests } from "./store.ts";

const MINUTE_MS = 60_000;

/** A request that is later than this would surprise people: it waits for a person. */
const MAX_LATE_MS = 60 * MINUTE_MS;

/** For how long a request is tried again after an error that may pass. */
const MAX_RETRY_MS = 15 * MINUTE_MS;

/** How many requests one look at the database finds. */
const BATCH = 50;

interface Options {
  readonly storage: Storage;
  readonly logger: Pick<Logger, "warn">;
  /** The clock of the schedules. @default that of the database */
  readonly clock?: ((db: Database) => Promise<Date>) | undefined;
}

/**
 * Applies all scheduled requests that are due, each by exactly one replica: every replica looks for them, and changes run one at
 * a time. Returns their number.
 */
export async function applyDue(
  { storage, logger, clock = databaseTime }: Options,
  signal?: AbortSignal,
): Promise<number> {
  const now = await clock(storage.db);
  const due = await storage.db
    .select({ id: changeRequests.id, scheduledBy: changeRequests.scheduledBy })
    .from(changeRequests)
    .where(isDue(now))
    .orderBy(changeRequests.scheduledAt, changeRequests.id)
    .limit(BATCH);
  for (const { id, scheduledBy } of due) {
    if (signal?.aborted === true) break;
    if (scheduledBy === null) continue;
    const attempt: Attempt = { id, scheduledBy, now };
    try {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await storage.write(scheduledBy, (transaction) => apply(transaction, attempt));
    } catch (error) {
      const reason = toApiError(error);
      if (reason.statusCode >= 500) logger.warn(`Cannot apply the change request ${id} yet`, error);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await storage.write(scheduledBy, (transaction) => fail(transaction, attempt, reason));
    }
  }
  return due.length;
}

function isDue(now: Date) {
  return and(
    eq(changeRequests.state, "Scheduled"),
    ne(changeRequests.scheduleStatus, "suspended"),
    lte(changeRequests.scheduledAt, now),
  );
}

interface Attempt {
  readonly id: number;
  readonly scheduledBy: Requester;
  readonly now: Date;
}

/** Returns the request unless another replica has applied it, or somebody has moved it. */
async function findDue(
  { db }: WriteTransaction,
  { id, now }: Attempt,
): Promise<ChangeRequest | undefined> {
  const [request] = await findRequests(db, and(eq(changeRequests.id, id), isDue(now)));
  return request;
}

async function apply(transaction: WriteTransaction, attempt: Attempt): Promise<void> {
  const request = await findDue(transaction, attempt);
  if (request === undefined || request.scheduledAt === null) return;
  const lateMs = attempt.now.getTime() - request.scheduledAt.getTime();
  if (lateMs > MAX_LATE_MS) {
    const minutes = Math.floor(lateMs / MINUTE_MS);
    await suspend(
      transaction,
      request,
      `The service was not running at the time, and ${minutes} minutes later is too late to apply it unasked`,
    );
    return;
  }
  const performer = await findPerformer(transaction.db, attempt.scheduledBy);
  if (performer === undefined || !mayDo(performer, request.project, "editor")) {
    await suspend(
      transaction,
      request,
      `${JSON.stringify(attempt.scheduledBy.name)}, who scheduled it, may no longer change flags of the project`,
    );
    return;
  }
  const stricter = findStricter(
    await readProtectedPlaces(transaction.db),
    [request, ...request.changes.flatMap(({ affected }) => affected)],
    request.approvalCount,
  );
  if (stricter !== undefined) throw new ApprovalsMissingError(stricter);
  await applyRequest(transaction, request, {
    applier: { performer, requester: attempt.scheduledBy },
    isScheduled: true,
  });
}

async function fail(
  transaction: WriteTransaction,
  attempt: Attempt,
  error: ApiError,
): Promise<void> {
  const request = await findDue(transaction, attempt);
  if (request === undefined) return;
  const { statusCode, message } = error;
  if (statusCode < 500) {
    const reason =
      error instanceof ApprovalsMissingError
        ? `Changes in ${error.place.environment} now require ${error.count}: send the request to review`
        : message;
    await suspend(transaction, request, reason);
    return;
  }
  const since = request.retryingSince ?? attempt.now;
  if (attempt.now.getTime() - since.getTime() >= MAX_RETRY_MS) {
    await suspend(
      transaction,
      request,
      `All attempts of ${MAX_RETRY_MS / MINUTE_MS} minutes failed: ${message}`,
    );
    return;
  }
  await transaction.db
    .update(changeRequests)
    .set({ scheduleStatus: "failed", scheduleReason: message, retryingSince: since })
    .where(eq(changeRequests.id, request.id));
  if (request.retryingSince !== null) return;
  await record(transaction, request, {
    type: "change-request-scheduled-application-failure",
    after: { reason: message },
  });
}

/** Leaves the decision to a person. */
async function suspend(
  transaction: WriteTransaction,
  request: ChangeRequest,
  reason: string,
): Promise<void> {
  await transaction.db
    .update(changeRequests)
    .set({ scheduleStatus: "suspended", scheduleReason: reason })
    .where(eq(changeRequests.id, request.id));
  await record(transaction, request, {
    type: "change-request-schedule-suspended",
    after: { reason },
  });
}
