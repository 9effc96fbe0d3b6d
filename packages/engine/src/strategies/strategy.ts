import type { Condition } from "../evaluate/condition.ts";
import type { Reason } from "../outcome.ts";
import type { Report } from "../parse/diagnostic.ts";
import type { ContextFields } from "../evaluate/context-fields.ts";

export type Parameters = Readonly<Record<string, unknown>>;

/** What strategies are compiled against. */
export interface StrategyScope {
  readonly fields: ContextFields;
  /** The name of this host, in lower case. */
  readonly hostname: string;
  readonly report: Report;
}

/** When a strategy matches, and what to call the reason when it does. */
export interface Activation {
  readonly condition: Condition;
  readonly reason: Reason;
}

/** One activation strategy: turns its parameters into a condition, once per snapshot. */
export type ActivationStrategy = (parameters: Parameters, scope: StrategyScope) => Activation;
