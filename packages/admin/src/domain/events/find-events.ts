import { and, count, desc, gte, inArray, lt, sql, type SQL, type SQLWrapper } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Page } from "../../http/parse-filter.ts";
import { type Database, firstRow, likePattern } from "../../storage/database.ts";
import { events } from "../../storage/schema/events.ts";
import type { Storage } from "../../storage/storage.ts";

/** Criteria that an event must meet. Absent criteria match every event. */
export interface EventFilter {
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
 * How many events one statement searches for a text. NOTE: the embedded database runs one statement at a time, so
 * the search in all events would block everything else.
 */
const SEARCHED_ROWS = 200;

interface SearchOptions {
  /** How many events one statement searches for a text. @default 200 */
  readonly searchedRows?: number;
  /** Whether nobody waits for the result any more. */
  readonly isCancelled?: () => boolean;
}

/**
 * Returns one page of the matching events, newest first, and the number of all matching events. A page whose
 * events are large ends after 16 MiB, with the event that exceeds them.
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

/** Returns the ids of the events that contain a text, newest first. Includes events that are deleted meanwhile. */
async function searchText(
  storage: Pick<Storage, "read">,
  text: string,
  condition: SQL | undefined,
  { searchedRows = SEARCHED_ROWS, isCancelled = () => false }: SearchOptions,
): Promise<readonly number[]> {
  const ids: number[] = [];
  let before: number | undefined;
  for (;;) {
    const isEarlier = before === undefined ? undefined : lt(events.id, before);
    const searched = and(condition, isEarlier);
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that others can use the database
    const rows = await storage.read((db) => searchRows(db, text, searched, searchedRows));
    for (const { id, matches } of rows) if (matches) ids.push(id);
    if (rows.length < searchedRows || isCancelled()) return ids;
    before = rows.at(-1)?.id;
  }
}

/**
 * Returns which of the newest events that meet a condition contain a text.
 *
 * NOTE: the limit is in a subquery. Otherwise the database may compare the text of every event before it sorts them.
 */
function searchRows(db: Database, text: string, condition: SQL | undefined, limit: number) {
  const { id, data, preData, tags } = events;
  const newest = db
    .select({ id, data, preData, tags })
    .from(events)
    .where(condition)
    .orderBy(desc(id))
    .limit(limit)
    .as("newest");
  return db
    .select({ id: newest.id, matches: containsText(newest, text) })
    .from(newest)
    .orderBy(desc(newest.id));
}

async function readPage(db: Database, condition: SQL | undefined, page: Page) {
  const rows = await db
    .select()
    .from(events)
    .where(inArray(events.id, selectPage(db, condition, page)))
    .orderBy(desc(events.id));
  return rows.map(toEventView);
}

/** Selects the ids of a page. NOTE: larger pages could exhaust the memory of the service. */
function selectPage(db: Database, condition: SQL | undefined, { offset, limit }: Page) {
  const bytes = [events.data, events.preData].map(
    (column) => sql`coalesce(octet_length(${column}::text), 0)`,
  );
  const measured = db
    .select({ id: events.id, bytes: sql<number>`${sql.join(bytes, sql` + `)}`.as("bytes") })
    .from(events)
    .where(condition)
    .orderBy(desc(events.id))
    .limit(limit)
    .offset(offset)
    .as("measured");
  const page = db
    .select({
      id: measured.id,
      before: sql<number>`sum(bytes) over (order by ${measured.id} desc) - bytes`.as("before"),
    })
    .from(measured)
    .as("page");
  return db.select({ id: page.id }).from(page).where(lt(page.before, MAX_PAGE_BYTES));
}

function toCondition({ from, before, ...filter }: Omit<EventFilter, "text">): SQL | undefined {
  return and(
    oneOf(events.id, filter.ids),
    oneOf(events.type, filter.types),
    oneOf(events.featureName, filter.features),
    oneOf(events.project, filter.projects),
    oneOf(events.environment, filter.environments),
    oneOf(events.createdBy, filter.authors),
    from === undefined ? undefined : gte(events.createdAt, from),
    before === undefined ? undefined : lt(events.createdAt, before),
  );
}

function oneOf(column: PgColumn, values: readonly unknown[] | undefined): SQL | undefined {
  return values === undefined ? undefined : inArray(column, [...values]);
}

/** Whether the recorded states or the tags of an event contain a text. */
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

// The protocol identifies authors by number. These stand for all tokens, all users of OpenID Connect, and
// the service.
const USER_IDS: ReadonlyMap<string, number> = new Map([
  ["token", -42],
  ["openid", -43],
  ["system", -1337],
]);

function toEventView({ actorKind, actorId, ...event }: typeof events.$inferSelect) {
  return {
    ...event,
    createdByUserId: USER_IDS.get(actorKind),
    ...(actorKind === "token" && { createdByTokenId: actorId }),
  };
}
