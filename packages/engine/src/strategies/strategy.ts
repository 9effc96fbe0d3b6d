import type { Condition } from "../evaluate/condition.ts";
import type { ContextFields } from "../evaluate/context-fields.ts";
import type { Reason } from "../outcome.ts";
import type { Report } from "../parse/diagnostics.ts";

export type Parameters = Readonly<Record<string, unknown>>;

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

/**
 * Converts a parameter to text as JavaScript does, as in the official SDK: a list becomes its elements with commas,
 * and a missing parameter the text "undefined".
 */
export function parameterText(value: unknown): string {
  try {
    return String(value);
  } catch {
    // An object with a property such as `toString` cannot be converted.
    return "";
  }
}
