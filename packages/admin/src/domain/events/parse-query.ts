import { type Static, Type } from "typebox";
import { badData } from "../../errors.ts";
import {
  OptionalFilter,
  OptionalSearchText,
  OptionalText,
  parseFilter,
} from "../../http/parse-filter.ts";
import type { EventFilter } from "./find-events.ts";

const Day = Type.Optional(Type.String({ description: "IS:yyyy-MM-dd, a day in UTC" }));

export const EventSearchQuery = Type.Object({
  query: OptionalSearchText,
  id: OptionalFilter,
  feature: OptionalFilter,
  project: OptionalFilter,
  type: OptionalFilter,
  createdBy: OptionalFilter,
  environment: OptionalFilter,
  from: Day,
  to: Day,
  offset: OptionalText,
  limit: OptionalText,
});

const { offset: _offset, limit: _limit, ...criteria } = EventSearchQuery.properties;

export const EventExportQuery = Type.Object({
  ...criteria,
  format: Type.Optional(
    Type.Unsafe<"csv" | "json">({
      type: "string",
      enum: ["csv", "json"],
      description: "json by default",
    }),
  ),
});

export const EventListQuery = Type.Object({
  feature: OptionalText,
  project: OptionalText,
  environment: OptionalText,
  type: OptionalText,
  offset: OptionalText,
  limit: OptionalText,
});

const DAY_MS = 24 * 60 * 60 * 1000;

// The database does not read other years in the form in which JavaScript writes them.
const FIRST_MS = Date.parse("0001-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Parses filters such as `IS:value`. `to` includes the whole day.
 *
 * @throws {ApiError} if a filter is malformed
 */
export function parseEventSearch(
  query: Omit<Static<typeof EventSearchQuery>, "limit" | "offset">,
): Omit<EventFilter, "access"> {
  const lastDay = parseDay(query.to, "to");
  return {
    ids: parseFilter(query.id, "id")?.map((text) => parseId(text)),
    types: parseFilter(query.type, "type"),
    features: parseFilter(query.feature, "feature"),
    projects: parseFilter(query.project, "project"),
    environments: parseFilter(query.environment, "environment"),
    authors: parseFilter(query.createdBy, "createdBy"),
    text: query.query,
    from: parseDay(query.from, "from"),
    before: lastDay === undefined ? undefined : withinLimits(lastDay.getTime() + DAY_MS),
  };
}

function parseId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw badData("/query/id", "must be a number");
  return Number(text);
}

function parseDay(text: string | undefined, name: string): Date | undefined {
  if (text === undefined) return undefined;
  const day = /^IS:(\d{4}-\d{2}-\d{2})$/.exec(text)?.[1];
  const date = new Date(`${day}T00:00:00Z`);
  // NOTE: `Date` reads February 30 as March 2.
  if (day === undefined || Number.isNaN(date.getTime()) || !date.toISOString().startsWith(day)) {
    throw badData(`/query/${name}`, "must be an existing day in the form IS:yyyy-MM-dd");
  }
  return withinLimits(date.getTime());
}

function withinLimits(timeMs: number): Date {
  return new Date(Math.min(Math.max(timeMs, FIRST_MS), LAST_MS));
}

/** Parses the plain filters of the event list: at most one value each. */
export function parseEventList(query: Static<typeof EventListQuery>): Omit<EventFilter, "access"> {
  const { type, feature, project, environment } = query;
  return {
    types: toList(type),
    features: toList(feature),
    projects: toList(project),
    environments: toList(environment),
  };
}

function toList(value: string | undefined): readonly string[] | undefined {
  return value === undefined ? undefined : [value];
}
