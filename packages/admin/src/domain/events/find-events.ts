import {
  and,
  count,
  desc,
  gte,
  inArray,
  lt,
  not,
  or,
  sql,
  type SQL,
  type SQLWrapper,
} from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { ProjectAccess } from "../../access/project-access.ts";
import { type ApiError, badData } from "../../errors.ts";
import { fromUserId, type OpenIdUser } from "../../access/openid-user.ts";
import type { Page } from "../../http/parse-filter.ts";
import { type Database, firstRow, likePattern } from "../../storage/database.ts";
import { userIdOf } from "./list-authors.ts";
import { events } from "../../storage/schema/events.ts";
import type { Storage } from "../../storage/storage.ts";

/** Criteria that an event must meet. Absent criteria match every event. */
export interface EventFilter {
  /** Of the caller: events of projects that they cannot see are not found. */
  readonly access: ProjectAccess;
  readonly ids?: readonly number[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly features?: readonly string[] | undefined;
  readonly projects?: readonly string[] | undefined;
  readonly environments?: readonly string[] | undefined;
  readonly authors?: readonly string[] | undefined;
  /** Text that the recorded states or tags contain. */
  readonly text?: string | undefined;
  /** Earliest time, inclusive. */
  readonly from?: Date | undefined;
  /** Latest time, exclusive. */
  readonly before?: Date | undefined;
}

/** An event can be larger than 1 MB, because it contains the states before and after a change. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/**
 * How many events one statement searches. NOTE: the embedded database runs one statement at a time, so
 * the search in all events would block everything else.
 */
const SEARCHED_ROWS = 200;

/**
 * After this many stored bytes, a statement searches no more events. PostgreSQL compresses them, usually to a fraction
 * and at best to a hundredth.
 */
const SEARCHED_BYTES = 256 * 1024;

/** Clients usually wait for ten seconds. No index supports the search for text in both kinds of database. */
const MAX_SEARCH_MS = 8000;

export interface SearchOptions {
  /** How many events one statement searches. @default 200 */
  readonly searchedRows?: number;
  /** After this many stored bytes, a statement searches no more events. @default 256 KiB */
  readonly searchedBytes?: number;
  /** Longest time of a search for text. @default 8000 */
  readonly maxSearchMs?: number;
  /** Whether nobody is waiting for the result any longer. */
  readonly isCancelled?: () => boolean;
}

/**
 * Returns one page of the matching events, newest first, and the number of all matching events. A page whose
 * events are large ends after 16 MiB, with the event that exceeds them.
 *
 * @throws {ApiError} if a search for text takes too long
 */
export async function findEvents(
  storage: Pick<Storage, "read">,
  { text, ...filter }: EventFilter,
  page: Page,
  options: SearchOptions = {},
) {
  const condition = toCondition(filter);
  if (text === undefined) {
    return storage.read(async (db) => {
      const { total } = firstRow(await db.select({ total: count() }).from(events).where(condition));
      return { events: await readPage(db, condition, page), total };
    });
  }
  const ids = await searchText(storage, text, condition, options);
  const pageIds = ids.slice(page.offset, page.offset + page.limit);
  const found = await storage.read((db) =>
    readPage(db, inArray(events.id, pageIds), { ...page, offset: 0 }),
  );
  return { events: found, total: ids.length };
}

/** Returns the ids of the events that contain the text, newest first. Includes events that are deleted meanwhile. */
export async function searchText(
  storage: Pick<Storage, "read">,
  text: string,
  condition: SQL | undefined,
  {
    searchedRows = SEARCHED_ROWS,
    searchedBytes = SEARCHED_BYTES,
    maxSearchMs = MAX_SEARCH_MS,
    isCancelled = () => false,
  }: SearchOptions,
): Promise<readonly number[]> {
  const ids: number[] = [];
  const endMs = performance.now() + maxSearchMs;
  let before: number | undefined;
  for (;;) {
    const isEarlier = before === undefined ? undefined : lt(events.id, before);
    const searched = and(condition, isEarlier);
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that others can use the database
    const rows = await storage.read((db) =>
      searchRows(db, text, { condition: searched, searchedRows, searchedBytes }),
    );
    for (const { id, matches } of rows) if (matches) ids.push(id);
    if (rows.length === 0 || isCancelled()) return ids;
    if (performance.now() >= endMs) throw tooManyEvents();
    before = rows.at(-1)?.id;
  }
}

function tooManyEvents(): ApiError {
  return badData(
    "/query/query",
    "cannot be found in time among so many events: restrict the search to fewer with `from`, `feature`, `project`, `environment`, `type` or `createdBy`",
  );
}

interface SearchedRows {
  readonly condition: SQL | undefined;
  readonly searchedRows: number;
  readonly searchedBytes: number;
}

/**
 * Returns which of the newest events that meet a condition contain the text. At least one event is searched.
 *
 * NOTE: the limits are in subqueries. Otherwise the database may compare the text of every event before it sorts
 * them. `pg_column_size()` does not read the stored value.
 */
function searchRows(
  db: Database,
  text: string,
  { condition, searchedRows, searchedBytes }: SearchedRows,
) {
  const { id, data, preData, tags } = events;
  const newest = db
    .select({ id, data, preData, tags })
    .from(events)
    .where(condition)
    .orderBy(desc(id))
    .limit(searchedRows)
    .as("newest");
  const size = sumOf([newest.data, newest.preData], (column) => sql`pg_column_size(${column})`);
  const measured = db
    .select({
      id: newest.id,
      data: newest.data,
      preData: newest.preData,
      tags: newest.tags,
      before: sql<number>`sum(${size}) over (order by ${newest.id} desc) - ${size}`.as("before"),
    })
    .from(newest)
    .as("measured");
  return db
    .select({ id: measured.id, matches: containsText(measured, text) })
    .from(measured)
    .where(lt(measured.before, searchedBytes))
    .orderBy(desc(measured.id));
}

function sumOf(columns: readonly SQLWrapper[], sizeOf: (column: SQLWrapper) => SQL): SQL {
  const sizes = columns.map((column) => sql`coalesce(${sizeOf(column)}, 0)`);
  return sql`(${sql.join(sizes, sql` + `)})`;
}

/** An event as responses contain it. */
export type EventView = ReturnType<typeof toEventView>;

interface EventPage extends Page {
  /** Ends the page with the event that exceeds them. @default 16 MiB */
  readonly maxBytes?: number;
}

/** Reads a page of the events that meet a condition, newest first. */
export async function readPage(
  db: Database,
  condition: SQL | undefined,
  page: EventPage,
): Promise<readonly EventView[]> {
  const rows = await db
    .select()
    .from(events)
    .where(inArray(events.id, selectPage(db, condition, page)))
    .orderBy(desc(events.id));
  return rows.map(toEventView);
}

/**
 * Selects the ids of a page. NOTE: larger pages could exhaust the memory of the service. The events are selected
 * before they are measured, so that those before the page are not read.
 */
function selectPage(
  db: Database,
  condition: SQL | undefined,
  { offset, limit, maxBytes = MAX_PAGE_BYTES }: EventPage,
) {
  const selected = db
    .select({ id: events.id })
    .from(events)
    .where(condition)
    .orderBy(desc(events.id))
    .limit(limit)
    .offset(offset);
  const bytes = sumOf(
    [events.data, events.preData],
    (column) => sql`octet_length(${column}::text)`,
  );
  const measured = db
    .select({ id: events.id, bytes: sql<number>`${bytes}`.as("bytes") })
    .from(events)
    .where(inArray(events.id, selected))
    .as("measured");
  const page = db
    .select({
      id: measured.id,
      before: sql<number>`sum(bytes) over (order by ${measured.id} desc) - bytes`.as("before"),
    })
    .from(measured)
    .as("page");
  return db.select({ id: page.id }).from(page).where(lt(page.before, maxBytes));
}

/** Matches the events that meet all criteria but the text. */
export function toCondition({
  access,
  from,
  before,
  ...filter
}: Omit<EventFilter, "text">): SQL | undefined {
  return and(
    access.isVisible(events.project),
    concernsNoneOf(access.hidden),
    isMovedFromNoneOf(access.hidden),
    oneOf(events.id, filter.ids),
    oneOf(events.type, filter.types),
    oneOf(events.featureName, filter.features),
    filter.projects === undefined
      ? undefined
      : or(inArray(events.project, [...filter.projects]), isMovedFrom(filter.projects)),
    oneOf(events.environment, filter.environments),
    oneOf(events.createdBy, filter.authors),
    from === undefined ? undefined : gte(events.createdAt, from),
    before === undefined ? undefined : lt(events.createdAt, before),
  );
}

/** Matches events that do not record a token of one of these projects. The events of tokens of several have no project. */
function concernsNoneOf(projects: readonly string[]): SQL | undefined {
  if (projects.length === 0) return undefined;
  const [first, second] = [events.data, events.preData].map(
    (state) => sql`coalesce(${state} -> 'projects' ?| ${textArray(projects)}, false)`,
  );
  return sql`not (${events.type} like 'api-token-%' and (${first} or ${second}))`;
}

/** Matches events of flags that left one of these projects. The event belongs to the project that they moved to. */
function isMovedFrom(projects: readonly string[]): SQL {
  const oldProject = sql`${events.data} ->> 'oldProject'`;
  return sql`(${events.type} = 'feature-project-change' and ${oldProject} = any(${textArray(projects)}))`;
}

function isMovedFromNoneOf(projects: readonly string[]): SQL | undefined {
  return projects.length === 0 ? undefined : not(isMovedFrom(projects));
}

function textArray(values: readonly string[]): SQL {
  return sql`array[${sql.join(
    values.map((value) => sql`${value}`),
    sql`, `,
  )}]::text[]`;
}

function oneOf(column: PgColumn, values: readonly unknown[] | undefined): SQL | undefined {
  return values === undefined ? undefined : inArray(column, [...values]);
}

/** Whether the recorded states or the tags of an event contain the text. */
function containsText(
  { data, preData, tags }: Record<"data" | "preData" | "tags", SQLWrapper>,
  text: string,
): SQL<boolean> {
  const pattern = likePattern(text);
  const conditions = [data, preData, tags].map(
    (column) => sql`coalesce(${column}::text ilike ${pattern}, false)`,
  );
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`;
}

function toEventView({
  actorKind,
  actorId,
  changeRequestId,
  ...event
}: typeof events.$inferSelect) {
  return {
    ...event,
    ...(changeRequestId !== null && { changeRequestId }),
    createdByUserId: userIdOf(actorKind, actorId),
    ...(actorKind === "token" && { createdByTokenId: actorId }),
    ...(actorKind === "openid" && actorId !== null && toAuthor(fromUserId(actorId))),
  };
}

function toAuthor({ issuer, subject }: OpenIdUser) {
  return { createdByIssuer: issuer, createdBySubject: subject };
}
