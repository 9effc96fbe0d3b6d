import type { Report } from "../parse/diagnostic.ts";
import type { Parameters } from "./strategy.ts";

/** The highest bucket, out of 100, that a percentage lets in: 0 for nonsense and for nothing. */
export function parsePercentage(value: unknown): number {
  const number = typeof value === "object" && value !== null ? Number.NaN : Number(value);
  return number > 0 ? Math.min(Math.floor(number), 100) : 0;
}

/** Any parameter as text; a missing one is the text "undefined". */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
}

/**
 * Splits a comma-separated list. White space around the commas does not count, but the outer one
 * of the whole list does, as in the official SDK. Undefined for a list that is not text.
 */
export function parseList(
  parameters: Parameters,
  name: string,
  report: Report,
): readonly string[] | undefined {
  const value = parameters[name];
  if (!value) return [];
  if (typeof value === "string") return value.split(/\s*,\s*/);
  report(`${name} must be text, found a ${typeof value}: the strategy never matches`);
  return undefined;
}
