import type { Context } from "../context.ts";
import type { EvaluationRequest } from "../evaluate/evaluation-request.ts";
import type { ActivationStrategy } from "./strategy.ts";

/**
 * A user-defined activation strategy. `isEnabled` receives the parameters from the document and the
 * context of the evaluation. It must be synchronous: a promise counts as an error, because an
 * evaluation cannot wait for it.
 */
export interface CustomStrategy {
  readonly name: string;
  isEnabled(parameters: Readonly<Record<string, unknown>>, context: Context): unknown;
}

/** A custom strategy failed. The flag was evaluated as if the strategy had not matched. */
export interface StrategyError {
  readonly strategy: string;
  readonly flag: string;
  /** The thrown value. */
  readonly cause: unknown;
}

/** Handles the failure of a custom strategy. Must not throw, since an evaluation never throws. */
export type ReportStrategyError = (error: StrategyError) => void;

export function toActivationStrategy(
  custom: CustomStrategy,
  flag: string,
  reportError: ReportStrategyError,
): ActivationStrategy {
  return (parameters, { fields }) => {
    fields.markUsesCustomStrategy();
    const condition = (request: EvaluationRequest): boolean => {
      request.markUnpredictable();
      try {
        return toBoolean(custom.isEnabled(parameters, request.context));
      } catch (cause) {
        reportError({ strategy: custom.name, flag, cause });
        return false;
      }
    };
    return { condition, reason: "TARGETING_MATCH" };
  };
}

function toBoolean(result: unknown): boolean {
  if (!isThenable(result)) return Boolean(result);
  // The result of the promise is ignored. A rejection must not end the process as unhandled.
  Promise.resolve(result).catch(() => undefined);
  throw new TypeError("isEnabled must be synchronous: it returned a promise");
}

/** Recognizes promises of other realms and libraries too. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}
