import { and, eq, inArray, type SQL } from "drizzle-orm";
import type { Static } from "typebox";
import { findPersonBehind } from "../access/person-behind.ts";
import type { Caller } from "../access/request-identity.ts";
import { mayDo, toPerformer } from "../access/performer.ts";
import { badData } from "../errors.ts";
import { parseFilter, parsePage } from "../http/parse-filter.ts";
import type { Database } from "../storage/database.ts";
import type { Actor } from "../storage/events.ts";
import { changeRequests } from "../storage/schema/change-requests.ts";
import { isAuthor, isSame } from "./participant.ts";
import type { SearchQuery } from "./schemas.ts";
import { CLOSED_STATES, IS_OPEN, isOpen, type ListedRequest, listRequests } from "./store.ts";

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 25;

interface Found {
  readonly changeRequests: readonly ListedRequest[];
  readonly total: number;
}

/**
 * Searches the requests of all projects that the caller sees, the latest first. Drafts of others are not found.
 *
 * @throws {ApiError} if a filter is malformed
 */
export async function searchRequests(
  db: Database,
  query: Static<typeof SearchQuery>,
  { caller, actor }: { readonly caller: Caller; readonly actor: Actor },
): Promise<Found> {
  const states = parseFilter(query.state, "state");
  const projects = parseFilter(query.project, "project");
  const environments = parseFilter(query.environment, "environment");
  const authors = readIds(parseFilter(query.createdBy, "createdBy"), "createdBy");
  const approvers = readIds(
    parseFilter(query.requestedApproverId, "requestedApproverId"),
    "requestedApproverId",
  );
  const page = parsePage(toPageQuery(query), { defaultLimit: DEFAULT_LIMIT, maxLimit: MAX_LIMIT });
  const found = await listRequests(
    db,
    and(
      caller.projects.isVisible(changeRequests.project),
      projects && inArray(changeRequests.project, [...projects]),
      environments && inArray(changeRequests.environment, [...environments]),
      toStateCondition(states),
    ),
  );
  const self = { ...actor, userId: await findPersonBehind(db, actor) };
  const performer = toPerformer(caller);
  const matching = found.filter((request) => {
    const { createdBy, reviews, reviewers } = request;
    if (request.storedState === "Draft" && !isSame(createdBy, self)) return false;
    if (states !== undefined && !states.some((state) => matchesState(request, state))) return false;
    if (authors !== undefined && !authors.includes(createdBy.userId ?? -1)) return false;
    if (approvers !== undefined && !reviewers.some(({ id }) => approvers.includes(id)))
      return false;
    if (query.awaitsMe !== "true") return true;
    return (
      request.state === "In review" &&
      caller.account !== undefined &&
      mayDo(performer, request.project, "editor") &&
      !isAuthor(request, self) &&
      !reviews.some(({ userId }) => userId === self.userId)
    );
  });
  return {
    changeRequests: matching.slice(page.offset, page.offset + page.limit),
    total: matching.length,
  };
}

function toPageQuery({ offset, limit }: Static<typeof SearchQuery>) {
  return { ...(offset !== undefined && { offset }), ...(limit !== undefined && { limit }) };
}

/** NOTE: closed requests are many, and open ones at most 500 per project. */
function toStateCondition(states: readonly string[] | undefined): SQL | undefined {
  if (states === undefined) return undefined;
  const onlyOpen = states.every((state) => !["closed", ...CLOSED_STATES].includes(state));
  return onlyOpen ? IS_OPEN : undefined;
}

function matchesState(request: ListedRequest, state: string): boolean {
  if (state === "open") return isOpen(request);
  if (state === "closed") return !isOpen(request);
  return request.state === state;
}

function readIds(
  texts: readonly string[] | undefined,
  name: string,
): readonly number[] | undefined {
  return texts?.map((text) => {
    if (/^\d{1,9}$/.test(text)) return Number(text);
    throw badData(`/query/${name}`, "must contain ids of accounts");
  });
}

/** Counts the requests of a project by what has to be done. Drafts do not count. */
export async function countByState(db: Database, project: string) {
  const requests = await listRequests(
    db,
    and(
      eq(changeRequests.project, project),
      inArray(changeRequests.state, ["Applied", "In review", "Rejected", "Scheduled"]),
    ),
  );
  const count = (state: string) => requests.filter((request) => request.state === state).length;
  return {
    total: requests.length,
    applied: count("Applied"),
    approved: count("Approved"),
    rejected: count("Rejected"),
    reviewRequired: count("In review"),
    scheduled: count("Scheduled"),
  };
}
