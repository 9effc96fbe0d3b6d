import type { EvaluationRequest } from "../request/evaluation-request.ts";
import type { Condition } from "./condition.ts";

/** The outcome, or how to work it out for a request. */
export type Answer = number | ((request: EvaluationRequest) => number);

/** One answer when the condition holds, another when it does not. */
export interface Decision {
  readonly condition: Condition;
  readonly answer: Answer;
  readonly otherwise: Answer;
}

/** A decision that was taken already. */
export function decided(answer: Answer): Decision {
  return { condition: true, answer, otherwise: answer };
}

/** What a decision comes to: itself an answer, and a constant one if there is no choice in it. */
export function toAnswer({ condition, answer, otherwise }: Decision): Answer {
  if (typeof condition === "boolean") return condition ? answer : otherwise;
  return (request) => {
    const chosen = condition(request) ? answer : otherwise;
    return typeof chosen === "number" ? chosen : chosen(request);
  };
}
