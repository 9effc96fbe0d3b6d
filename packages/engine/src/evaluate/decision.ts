import type { EvaluationRequest } from "./evaluation-request.ts";
import type { Condition, Target } from "./condition.ts";
import { Split } from "./rollout.ts";
import { Targeting, type NumberOrSplit } from "./targeting-old.ts";

/** The outcome, or how to work it out for a request. */
export type Answer = number | Split | Targeting | ((request: EvaluationRequest) => number);

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
  return typeof answer === "function" ? answer(request) : answer.decide(request);
}

/** What a decision comes to: in the simplest form that there is. */
export function toAnswer(decision: Decision): Answer {
  const { condition, answer, otherwise } = decision;
  if (typeof condition === "boolean") return condition ? answer : otherwise;
  return (
    (condition.target && toTargeting(condition.target, decision)) ??
    ((request) => resolve(condition(request) ? answer : otherwise, request))
  );
}

/** Undefined for a decision that has no such form. */
function toTargeting(
  { lists, share }: Target,
  { answer, otherwise }: Decision,
): Split | Targeting | undefined {
  const inside = share === undefined ? answer : shareOut(share, answer, otherwise);
  if (lists.length === 0 && inside instanceof Split) return inside;
  if (!isNumberOrSplit(inside) || !isNumberOrSplit(otherwise)) return undefined;
  return new Targeting({ lists, answer: inside, otherwise });
}

function shareOut(share: Split, answer: Answer, otherwise: Answer): Split | undefined {
  if (typeof answer !== "number" || typeof otherwise !== "number") return undefined;
  return share.map((outcome) => (outcome === 1 ? answer : otherwise));
}

function isNumberOrSplit(answer: Answer | undefined): answer is NumberOrSplit {
  return typeof answer === "number" || answer instanceof Split;
}
