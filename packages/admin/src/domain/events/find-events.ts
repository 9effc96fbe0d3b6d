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

/** Returns one page of the matching events, newest first, and the number of all matching events. */
export async function findEvents(db: Database, filter: EventFilter, { offset, limit }: Page) {
  const condition = toCondition(filter);
  const rows = await db
    .select()
    .from(events)
    .where(condition)
    .orderBy(desc(events.id))
    .limit(limit)
    .offset(offset);
  const { total } = firstRow(await db.select({ total: count() }).from(events).where(condition));
  return { events: rows.map(toEventView), total };
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

// The protocol identifies authors by number. These stand for all tokens and for the service.
const TOKEN_USER_ID = -42;
const SYSTEM_USER_ID = -1337;

function toEventView({ actorKind, actorId, ...event }: typeof events.$inferSelect) {
  return {
    ...event,
    createdByUserId: actorKind === "system" ? SYSTEM_USER_ID : TOKEN_USER_ID,
    ...(actorId !== null && { createdByTokenId: actorId }),
  };
}
