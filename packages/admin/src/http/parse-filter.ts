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
