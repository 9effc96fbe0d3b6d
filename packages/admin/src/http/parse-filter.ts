import { Type } from "typebox";
import { badData } from "../errors.ts";

/** Schema of an optional query parameter. */
export const OptionalText = Type.Optional(Type.String());

/** Schema of an optional query parameter with text to search for. Long text would make the search slow. */
export const OptionalSearchText = Type.Optional(Type.String({ maxLength: 200 }));

/** Schema of an optional query parameter that `parseFilter()` parses. */
export const OptionalFilter = Type.Optional(
  Type.String({ description: "IS:value or IS_ANY_OF:value,value" }),
);

/**
 * Parses a filter such as `IS:a` or `IS_ANY_OF:a,b`.
 *
 * @param name name of the query parameter, for error messages
 * @returns the accepted values; undefined without a filter
 * @throws {ApiError} if the filter has another format
 */
export function parseFilter(text: string | undefined, name: string): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const single = /^IS:(.*)$/s.exec(text)?.[1];
  if (single !== undefined) return [single.trim()];
  const several = /^IS_ANY_OF:(.*)$/s.exec(text)?.[1];
  if (several !== undefined) return several.split(",").map((value) => value.trim());
  throw badData(`/query/${name}`, "must have the form IS:value or IS_ANY_OF:value,value");
}

/** Schema of an optional query parameter that `parseChoice()` parses. */
export const OptionalChoice = Type.Optional(
  Type.String({
    description: "IS:value, IS_NOT:value, IS_ANY_OF:value,value or IS_NONE_OF:value,value",
  }),
);

/** Values that a property must have, or must not have. */
export interface Choice {
  readonly values: readonly string[];
  readonly excludes: boolean;
}

/**
 * Parses a filter such as `IS_NOT:a` or `IS_NONE_OF:a,b`.
 *
 * @param name name of the query parameter, for error messages
 * @param known the possible values. @default any
 * @throws {ApiError} if the filter has another format, or another value
 */
export function parseChoice(
  text: string | undefined,
  name: string,
  known?: readonly string[],
): Choice | undefined {
  if (text === undefined) return undefined;
  const [, operator = "", list = ""] = /^(IS|IS_NOT|IS_ANY_OF|IS_NONE_OF):(.*)$/s.exec(text) ?? [];
  if (operator === "") {
    throw badData(
      `/query/${name}`,
      "must have the form IS:value, IS_NOT:value, IS_ANY_OF:value,value or IS_NONE_OF:value,value",
    );
  }
  const isSingle = operator === "IS" || operator === "IS_NOT";
  const values = (isSingle ? [list] : list.split(",")).map((value) => value.trim());
  const unknown = values.find((value) => known?.includes(value) === false);
  if (unknown !== undefined) {
    throw badData(`/query/${name}`, `must contain only these values: ${known?.join(", ")}`);
  }
  return { values, excludes: operator === "IS_NOT" || operator === "IS_NONE_OF" };
}

/** What a flag must have, or must not have. */
export interface Inclusion {
  readonly values: readonly string[];
  /** Whether all values are meant, and not any of them. */
  readonly requiresAll: boolean;
  readonly excludes: boolean;
}

const INCLUSIONS: ReadonlyMap<string, Omit<Inclusion, "values">> = new Map([
  ["INCLUDE", { requiresAll: true, excludes: false }],
  ["INCLUDE_ALL_OF", { requiresAll: true, excludes: false }],
  ["INCLUDE_ANY_OF", { requiresAll: false, excludes: false }],
  ["DO_NOT_INCLUDE", { requiresAll: false, excludes: true }],
  ["EXCLUDE_IF_ANY_OF", { requiresAll: false, excludes: true }],
  ["EXCLUDE_ALL", { requiresAll: true, excludes: true }],
]);
const MAX_INCLUDED = 50;

/**
 * Parses a filter such as `INCLUDE_ANY_OF:a,b`.
 *
 * @throws {ApiError} if the filter has another format, or too many values
 */
export function parseInclusion(text: string | undefined, name: string): Inclusion | undefined {
  if (text === undefined) return undefined;
  const [, operator = "", list = ""] = /^([A-Z_]+):(.+)$/s.exec(text) ?? [];
  const inclusion = INCLUSIONS.get(operator);
  if (inclusion === undefined) {
    const operators = [...INCLUSIONS.keys()].join(", ");
    throw badData(
      `/query/${name}`,
      `must begin with one of ${operators}, followed by : and values`,
    );
  }
  const values = list.split(",").map((value) => value.trim());
  if (values.length > MAX_INCLUDED) {
    throw badData(`/query/${name}`, `must contain at most ${MAX_INCLUDED} values`);
  }
  return { ...inclusion, values };
}

/** Schema of an optional query parameter that `parseDayFilter()` parses. */
export const OptionalDay = Type.Optional(
  Type.String({ description: "IS_BEFORE:yyyy-MM-dd or IS_ON_OR_AFTER:yyyy-MM-dd" }),
);

interface DayFilter {
  /** The start of the day in UTC. */
  readonly day: Date;
  readonly isBefore: boolean;
}

/**
 * Parses a filter such as `IS_BEFORE:2026-01-31`.
 *
 * @throws {ApiError} if the filter has another format, or there is no such day
 */
export function parseDayFilter(text: string | undefined, name: string): DayFilter | undefined {
  if (text === undefined) return undefined;
  const [, operator, date] = /^(IS_BEFORE|IS_ON_OR_AFTER):(\d{4}-\d{2}-\d{2})$/.exec(text) ?? [];
  const day = new Date(`${date}T00:00:00Z`);
  // A day such as February 30 would become another one.
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== date || date < "0001") {
    throw badData(
      `/query/${name}`,
      "must have the form IS_BEFORE:yyyy-MM-dd or IS_ON_OR_AFTER:yyyy-MM-dd, with an existing day",
    );
  }
  return { day, isBefore: operator === "IS_BEFORE" };
}

/** The requested part of a list. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

interface PageLimits {
  readonly defaultLimit: number;
  readonly maxLimit: number;
}

/** Parses `offset` and `limit`. As in the wire protocol, invalid values are replaced with defaults. */
export function parsePage(
  { offset, limit }: { readonly offset?: string; readonly limit?: string },
  { defaultLimit, maxLimit }: PageLimits,
): Page {
  const requestedLimit = toCount(limit) ?? defaultLimit;
  return {
    offset: toCount(offset) ?? 0,
    limit: requestedLimit >= 1 && requestedLimit <= maxLimit ? requestedLimit : defaultLimit,
  };
}

function toCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
