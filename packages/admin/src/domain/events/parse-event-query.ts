import type { Static } from "typebox";
import { badData } from "../../errors.ts";
import { parseFilter } from "../../http/parse-filter.ts";
import type { EventFilter } from "./find-events.ts";
import type { EventListQuery, EventSearchQuery } from "./schemas.ts";

/**
 * @throws {ApiError} when a filter is not of the form that it must have
 */
export function parseEventSearch(query: Static<typeof EventSearchQuery>): EventFilter {
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
    before: lastDay === undefined ? undefined : new Date(lastDay.getTime() + DAY_MS),
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

function parseId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw badData("/query/id", "must be a number");
  return Number(text);
}

function parseDay(text: string | undefined, name: string): Date | undefined {
  if (text === undefined) return undefined;
  const day = /^IS:(\d{4}-\d{2}-\d{2})$/.exec(text)?.[1];
  const date = new Date(`${day}T00:00:00Z`);
  if (day === undefined || Number.isNaN(date.getTime())) {
    throw badData(`/query/${name}`, "must be of the form IS:yyyy-MM-dd");
  }
  return date;
}

/** The plain form of the older list: one value each. */
export function parseEventList(query: Static<typeof EventListQuery>): EventFilter {
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
