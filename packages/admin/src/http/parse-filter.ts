import { badData } from "../errors.ts";

/**
 * Reads a filter such as `IS:a` or `IS_ANY_OF:a,b`.
 *
 * @returns the values that pass, or undefined when there is no filter
 * @throws {ApiError} when it is of another form
 */
export function parseFilter(text: string | undefined, name: string): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const single = /^IS:(.*)$/s.exec(text)?.[1];
  if (single !== undefined) return [single.trim()];
  const several = /^IS_ANY_OF:(.*)$/s.exec(text)?.[1];
  if (several !== undefined) return several.split(",").map((value) => value.trim());
  throw badData(`/query/${name}`, "must be of the form IS:value or IS_ANY_OF:value,value");
}

/** Which part of a list is asked for. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

interface PageLimits {
  readonly defaultLimit: number;
  readonly maxLimit: number;
}

/** Reads `offset` and `limit`; what is no number or out of range falls back, as the protocol has it. */
export function parsePage(
  { offset, limit }: { readonly offset?: string; readonly limit?: string },
  { defaultLimit, maxLimit }: PageLimits,
): Page {
  const wantedLimit = toCount(limit) ?? defaultLimit;
  return {
    offset: toCount(offset) ?? 0,
    limit: wantedLimit >= 1 && wantedLimit <= maxLimit ? wantedLimit : defaultLimit,
  };
}

function toCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
