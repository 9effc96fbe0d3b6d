import type { EvaluationRequest } from "../request/evaluation-request.ts";
import type { Condition } from "./condition.ts";
import { Split } from "./split.ts";

/** The outcome, or how to work it out for a request. */
export type Answer = number | Split | ((request: EvaluationRequest) => number);

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

/** The outcome for a request. */
export function resolve(answer: Answer, request: EvaluationRequest): number {
  if (typeof answer === "number") return answer;
  return answer instanceof Split ? answer.decide(request) : answer(request);
}

/** What a decision comes to: in the simplest form that there is. */
export function toAnswer({ condition, answer, otherwise }: Decision): Answer {
  if (typeof condition === "boolean") return condition ? answer : otherwise;
  if (condition.split && typeof answer === "number" && typeof otherwise === "number") {
    return condition.split.map((outcome) => (outcome === 1 ? answer : otherwise));
  }
  return (request) => resolve(condition(request) ? answer : otherwise, request);
}
