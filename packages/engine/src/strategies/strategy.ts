import type { Condition } from "../evaluate/condition.ts";
import type { ContextFields } from "../evaluate/context-fields.ts";
import type { Reason } from "../outcome.ts";
import { describeType } from "../parse/json.ts";
import type { Report } from "../snapshot.ts";

export type Parameters = Readonly<Record<string, unknown>>;

/** The inputs that the compilations of all strategies share. */
export interface StrategyScope {
  readonly fields: ContextFields;
  /** The name of this host, in lower case. */
  readonly hostname: string;
  readonly report: Report;
}

/** When a strategy matches, and the reason of the outcome when it does. */
export interface Activation {
  readonly condition: Condition;
  readonly reason: Reason;
}

/** An activation strategy. Compiles its parameters to a condition, once per snapshot. */
export type ActivationStrategy = (parameters: Parameters, scope: StrategyScope) => Activation;

/** Converts a parameter to text. A missing parameter becomes the text "undefined". */
export function parameterText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
}

/**
 * Splits a comma-separated list. White space around the commas is removed; at the start and the end
 * of the whole list it is kept, as in the official SDK. Returns an empty list, after a report, if
 * the parameter is not text.
 */
export function parseListParameter(
  parameters: Parameters,
  name: string,
  report: Report,
): readonly string[] {
  const value = parameters[name];
  if (!value) return [];
  if (typeof value === "string") return value.split(/\s*,\s*/);
  report(`${name} must be text, found ${describeType(value)}: the strategy never matches`);
  return [];
}
