import { and, count, desc, gte, inArray, lt, or, sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Page } from "../../http/parse-filter.ts";
import { type Database, firstRow, likePattern } from "../../storage/database.ts";
import { events } from "../../storage/schema/events.ts";

/** Which events are looked for. What is left out does not matter. */
export interface EventFilter {
  readonly ids?: readonly number[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly features?: readonly string[] | undefined;
  readonly projects?: readonly string[] | undefined;
  readonly environments?: readonly string[] | undefined;
  readonly authors?: readonly string[] | undefined;
  /** Part of what the events tell. */
  readonly text?: string | undefined;
  readonly from?: Date | undefined;
  readonly before?: Date | undefined;
}

/** The newest events first, and how many there are. */
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
    text === undefined ? undefined : tells(text),
    from === undefined ? undefined : gte(events.createdAt, from),
    before === undefined ? undefined : lt(events.createdAt, before),
  );
}

function oneOf(column: PgColumn, values: readonly unknown[] | undefined): SQL | undefined {
  return values === undefined ? undefined : inArray(column, [...values]);
}

function tells(text: string): SQL | undefined {
  const pattern = likePattern(text);
  return or(
    ...[events.data, events.preData, events.tags].map(
      (column) => sql`${column}::text ilike ${pattern}`,
    ),
  );
}

// The protocol numbers its users; tokens and the service itself have these.
const TOKEN_USER_ID = -42;
const SYSTEM_USER_ID = -1337;

function toEventView({ actorKind, actorId, ...event }: typeof events.$inferSelect) {
  return {
    ...event,
    createdByUserId: actorKind === "system" ? SYSTEM_USER_ID : TOKEN_USER_ID,
    ...(actorId !== null && { createdByTokenId: actorId }),
  };
}
