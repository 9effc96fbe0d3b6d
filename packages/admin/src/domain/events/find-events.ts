import { and, count, desc, gte, inArray, lt, or, sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Page } from "../../http/parse-filter.ts";
import { type Database, firstRow, likePattern } from "../../storage/database.ts";
import { events } from "../../storage/schema/events.ts";

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
 * Returns one page of the matching events, newest first, and the number of all matching events. A page whose
 * events are large ends after 16 MiB, with the event that exceeds them.
 */
export async function findEvents(db: Database, filter: EventFilter, page: Page) {
  const condition = toCondition(filter);
  const rows = await db
    .select()
    .from(events)
    .where(inArray(events.id, selectPage(db, condition, page)))
    .orderBy(desc(events.id));
  const { total } = firstRow(await db.select({ total: count() }).from(events).where(condition));
  return { events: rows.map(toEventView), total };
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

function toCondition(filter: EventFilter): SQL | undefined {
  const { from, before, text } = filter;
  return and(
    oneOf(events.id, filter.ids),
    oneOf(events.type, filter.types),
    oneOf(events.featureName, filter.features),
    oneOf(events.project, filter.projects),
    oneOf(events.environment, filter.environments),
    oneOf(events.createdBy, filter.authors),
    text === undefined ? undefined : containsText(text),
    from === undefined ? undefined : gte(events.createdAt, from),
    before === undefined ? undefined : lt(events.createdAt, before),
  );
}

function oneOf(column: PgColumn, values: readonly unknown[] | undefined): SQL | undefined {
  return values === undefined ? undefined : inArray(column, [...values]);
}

function containsText(text: string): SQL | undefined {
  const pattern = likePattern(text);
  return or(
    ...[events.data, events.preData, events.tags].map(
      (column) => sql`${column}::text ilike ${pattern}`,
    ),
  );
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
