import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  inArray,
  notInArray,
  type SQL,
} from "drizzle-orm";
import { type Account, nameOf } from "../access/account.ts";
import { notFound } from "../errors.ts";
import { toEventView } from "../storage/event-view.ts";
import { type Database, firstRow, groupBy, isOneOf } from "../storage/database.ts";
import {
  changeRequestChanges,
  changeRequestComments,
  changeRequestReviewers,
  changeRequestReviews,
  changeRequests,
  type Requester,
  type StoredState,
} from "../storage/schema/change-requests.ts";
import { users } from "../storage/schema/accounts.ts";
import { countApprovals, readProtectedPlaces } from "../storage/protected-places.ts";
import type { ActionName } from "./actions.ts";
import type { Conflict } from "./expectation.ts";
import type { State } from "./schemas.ts";

export type StoredRequest = typeof changeRequests.$inferSelect;
type ChangeRow = typeof changeRequestChanges.$inferSelect;

/** A change in a list of requests. */
export interface ListedChange extends Omit<ChangeRow, "action" | "expected" | "payload"> {
  readonly action: ActionName;
}

/** A change with its payload and what it did when it was requested, which can have megabytes. */
export interface StoredChange extends ListedChange, Pick<ChangeRow, "expected" | "payload"> {}

interface Review {
  readonly userId: number;
  readonly user: Account;
  readonly approved: boolean;
  readonly createdAt: Date;
}

interface Listed<Change extends ListedChange> extends Omit<StoredRequest, "state"> {
  readonly storedState: StoredState;
  /** A request in review is approved once it has enough approvals. */
  readonly state: State;
  readonly changes: readonly Change[];
  /** Of accounts that are not disabled. */
  readonly reviews: readonly Review[];
  readonly reviewers: readonly Account[];
  readonly commentCount: number;
  /** How many approvals it requires by now. */
  readonly minApprovals: number;
  readonly approvalCount: number;
}

/** A request in a list, without what its changes and comments contain. */
export type ListedRequest = Listed<ListedChange>;

/** A request with everything that belongs to it. */
export interface ChangeRequest extends Listed<StoredChange> {
  readonly comments: readonly (typeof changeRequestComments.$inferSelect)[];
}

/** The states that a request does not leave. */
export const CLOSED_STATES: readonly StoredState[] = ["Applied", "Cancelled", "Rejected"];

export function isOpen({ storedState }: Pick<ListedRequest, "storedState">): boolean {
  return !CLOSED_STATES.includes(storedState);
}

export const IS_OPEN = notInArray(changeRequests.state, [...CLOSED_STATES]);

const { expected: _expected, payload: _payload, ...LISTED } = getTableColumns(changeRequestChanges);

/** Lists requests, the latest first. */
export function listRequests(
  db: Database,
  condition: SQL | undefined,
): Promise<readonly ListedRequest[]> {
  return find(db, condition, async (ids) => {
    const rows = await db
      .select(LISTED)
      .from(changeRequestChanges)
      .where(isOneOf(changeRequestChanges.request, ids))
      .orderBy(asc(changeRequestChanges.id));
    return rows as ListedChange[];
  });
}

/** Finds requests with everything that belongs to them, the latest first. */
export async function findRequests(
  db: Database,
  condition: SQL | undefined,
): Promise<readonly ChangeRequest[]> {
  const found = await find(db, condition, async (ids) => {
    const rows = await db
      .select()
      .from(changeRequestChanges)
      .where(isOneOf(changeRequestChanges.request, ids))
      .orderBy(asc(changeRequestChanges.id));
    return rows as StoredChange[];
  });
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const comments = await db
    .select()
    .from(changeRequestComments)
    .where(isOneOf(changeRequestComments.request, ids))
    .orderBy(asc(changeRequestComments.id));
  const commentsOf = lookUp(comments, ({ request }) => request);
  return found.map((request) => ({ ...request, comments: commentsOf(request.id) }));
}

async function find<Change extends ListedChange>(
  db: Database,
  condition: SQL | undefined,
  findChanges: (requests: readonly number[]) => Promise<readonly Change[]>,
): Promise<readonly Listed<Change>[]> {
  const rows = await db
    .select()
    .from(changeRequests)
    .where(condition)
    .orderBy(desc(changeRequests.id));
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const changes = await findChanges(ids);
  const reviews = await db
    .select({ review: changeRequestReviews, user: users })
    .from(changeRequestReviews)
    .innerJoin(users, eq(users.id, changeRequestReviews.userId))
    .where(isOneOf(changeRequestReviews.request, ids))
    .orderBy(asc(changeRequestReviews.createdAt));
  const reviewers = await db
    .select({ request: changeRequestReviewers.request, user: users })
    .from(changeRequestReviewers)
    .innerJoin(users, eq(users.id, changeRequestReviewers.userId))
    .where(isOneOf(changeRequestReviewers.request, ids));
  const counts = await db
    .select({ request: changeRequestComments.request, total: count() })
    .from(changeRequestComments)
    .where(isOneOf(changeRequestComments.request, ids))
    .groupBy(changeRequestComments.request);
  const changesOf = lookUp(changes, ({ request }) => request);
  const reviewsOf = lookUp(reviews, ({ review }) => review.request);
  const reviewersOf = lookUp(reviewers, ({ request }) => request);
  const commentCounts = new Map(counts.map(({ request, total }) => [request, total]));
  const places = await readProtectedPlaces(db);
  return rows.map(({ state: storedState, ...row }) => {
    const own = changesOf(row.id);
    const minApprovals = countApprovals(places, [row, ...own.flatMap(({ affected }) => affected)]);
    const counted = reviewsOf(row.id)
      .filter(({ user }) => user.disabledAt === null)
      .map(({ review, user }) => ({ ...review, user }));
    const approvalCount = counted.filter(({ approved }) => approved).length;
    return {
      ...row,
      storedState,
      state:
        storedState === "In review" && approvalCount >= minApprovals ? "Approved" : storedState,
      changes: own,
      reviews: counted,
      reviewers: reviewersOf(row.id).map(({ user }) => user),
      commentCount: commentCounts.get(row.id) ?? 0,
      minApprovals,
      approvalCount,
    };
  });
}

/** Returns a function that returns the rows of a request. */
function lookUp<Row>(rows: readonly Row[], requestOf: (row: Row) => number) {
  const groups = groupBy(rows, requestOf);
  return (id: number): readonly Row[] => groups.get(id) ?? [];
}

/**
 * @throws {ApiError} 404 if the project has no such request
 */
export async function getRequest(
  db: Database,
  project: string,
  id: number,
): Promise<ChangeRequest> {
  const [found] = await findRequests(
    db,
    and(eq(changeRequests.id, id), eq(changeRequests.project, project)),
  );
  if (found === undefined) {
    throw notFound(`There is no change request ${id} in the project ${JSON.stringify(project)}`);
  }
  return found;
}

/** Condition: one of the changes of the request is about the flag. */
export function concernsFeature(db: Database, feature: string): SQL {
  return inArray(
    changeRequests.id,
    db
      .select({ id: changeRequestChanges.request })
      .from(changeRequestChanges)
      .where(eq(changeRequestChanges.feature, feature)),
  );
}

export async function countRequests(db: Database, condition: SQL | undefined): Promise<number> {
  const { total } = firstRow(
    await db.select({ total: count() }).from(changeRequests).where(condition),
  );
  return total;
}

function toPerson({ userId, name }: Requester) {
  return { id: userId, username: name, imageUrl: null };
}

function toUser(user: Account) {
  return { id: user.id, username: nameOf(user), imageUrl: null };
}

type Conflicts = ReadonlyMap<number, readonly Conflict[]>;

/** A request in a list, without what its changes contain. */
export function toRequestSummary(request: ListedRequest) {
  const { id, title, project, environment, minApprovals, state, stateTimes } = request;
  const byFeature = groupBy(request.changes, ({ feature }) => feature);
  return {
    id,
    title,
    project,
    environment,
    minApprovals,
    state,
    stateTimestamps: stateTimes,
    createdBy: toPerson(request.createdBy),
    createdAt: request.createdAt,
    updatedAt: request.updatedAt,
    features: [...byFeature].flatMap(([name, changes]) =>
      name === null
        ? []
        : { name, changes: changes.map((one) => ({ id: one.id, action: one.action })) },
    ),
    segments: (byFeature.get(null) ?? []).map((one) => ({ id: one.id, action: one.action })),
    approvals: request.reviews.filter(({ approved }) => approved).map(toReviewView),
    rejections: request.reviews.filter(({ approved }) => !approved).map(toReviewView),
    reviewers: request.reviewers.map(toUser),
    commentCount: request.commentCount,
    ...toScheduleView(request),
    ...toApplicationView(request),
  };
}

/** A request with its changes and comments. */
export function toRequestView(request: ChangeRequest, conflicts: Conflicts = new Map()) {
  const byFeature = groupBy(request.changes, ({ feature }) => feature);
  const show = (change: StoredChange) => toChangeView(change, conflicts);
  return {
    ...toRequestSummary(request),
    features: [...byFeature].flatMap(([name, changes]) =>
      name === null ? [] : { name, changes: changes.map(show) },
    ),
    segments: (byFeature.get(null) ?? []).map(show),
    comments: request.comments.map(({ id, text, createdBy, createdAt }) => ({
      id,
      text,
      createdBy: toPerson(createdBy),
      createdAt,
    })),
  };
}

function toReviewView({ user, createdAt }: Review) {
  return { createdBy: toUser(user), createdAt };
}

function toScheduleView({ scheduledAt, scheduleStatus, scheduleReason, ...one }: ListedRequest) {
  if (scheduledAt === null) return {};
  return {
    schedule: {
      scheduledAt,
      status: scheduleStatus,
      ...(one.scheduledBy !== null && { scheduledBy: toPerson(one.scheduledBy) }),
      ...(scheduleReason !== null && { reason: scheduleReason }),
    },
  };
}

function toApplicationView({ appliedBy, requiredApprovals, skipReason }: ListedRequest) {
  return {
    ...(appliedBy !== null && { appliedBy: toPerson(appliedBy) }),
    ...(requiredApprovals !== null && { requiredApprovals }),
    ...(skipReason !== null && { appliedWithoutApproval: { reason: skipReason } }),
  };
}

function toChangeView(change: StoredChange, conflicts: Conflicts) {
  const { id, action, payload, createdBy, createdAt, expected } = change;
  const found = conflicts.get(id) ?? [];
  return {
    id,
    action,
    // A file can have megabytes, and its events say what it changes.
    ...(payload !== null && !action.startsWith("import") && { payload }),
    createdBy: toPerson(createdBy),
    createdAt,
    events: expected.map(toEventView),
    ...(found.length > 0 && {
      conflict: found.map(describeConflict).join("; "),
      conflicts: found,
    }),
  };
}

/** Says what somebody else has changed. */
export function describeConflict({ feature, field, was, now }: Conflict): string {
  const what = feature === undefined ? "what it changes" : `the flag ${JSON.stringify(feature)}`;
  const part = field === "" ? what : `${field} of ${what}`;
  return `${part} was ${shorten(was)} when the change was requested, and is ${shorten(now)} now`;
}

function shorten(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
