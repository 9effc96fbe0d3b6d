import type { Context } from "../context.ts";
import type { EvaluationRequest } from "../evaluate/evaluation-request.ts";
import type { ActivationStrategy } from "./strategy.ts";

/**
 * An activation strategy of one's own. `isEnabled` gets the parameters of the strategy as they
 * stand in the document and the context of the evaluation, and must answer synchronously: a promise
 * counts as an error, since nobody can wait for it.
 */
export interface CustomStrategy {
  readonly name: string;
  isEnabled(parameters: Readonly<Record<string, unknown>>, context: Context): unknown;
}

/** A custom strategy failed; the flag was evaluated as if it had not matched. */
export interface StrategyError {
  readonly strategy: string;
  readonly flag: string;
  /** What was thrown. */
  readonly cause: unknown;
}

/** Takes note of a failure. Must not throw: an evaluation does not. */
export type ReportStrategyError = (error: StrategyError) => void;

/** Makes a custom strategy one like any other, except that its answers are never reused. */
export function toActivationStrategy(
  custom: CustomStrategy,
  flag: string,
  reportError: ReportStrategyError,
): ActivationStrategy {
  return (parameters, { fields }) => {
    fields.noteCustomStrategy();
    const condition = (request: EvaluationRequest): boolean => {
      request.noteUnrepeatable();
      try {
        return isMatch(custom.isEnabled(parameters, request.context));
      } catch (cause) {
        reportError({ strategy: custom.name, flag, cause });
        return false;
      }
    };
    return { condition, reason: "TARGETING_MATCH" };
  };
}

function isMatch(answer: unknown): boolean {
  if (!isThenable(answer)) return Boolean(answer);
  // Whatever comes of it, nobody listens: it must not end the process as an unhandled rejection.
  Promise.resolve(answer).catch(() => undefined);
  throw new TypeError("isEnabled must answer at once: it returned a promise");
}

/** Also promises that are not of this realm or not of JavaScript's own making. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}
