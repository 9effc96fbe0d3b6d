import { OFF } from "../outcome.ts";
import { holds } from "./condition.ts";
import type { Condition, Target } from "./condition.ts";
import type { EvaluationRequest } from "./evaluation-request.ts";
import { Rollout } from "./rollout.ts";
import type { FixedOrRollout } from "./rollout.ts";
import { Targeting } from "./targeting.ts";

/** The index of an outcome, or how to select it for a request. */
export type OutcomeSelector =
  | number
  | Rollout
  | Targeting
  | ((request: EvaluationRequest) => number);

interface Decision {
  readonly condition: Condition;
  readonly outcome: OutcomeSelector;
  readonly otherwise: OutcomeSelector;
}

export function selectOutcome(selector: OutcomeSelector, request: EvaluationRequest): number {
  if (typeof selector === "number") return selector;
  return typeof selector === "function" ? selector(request) : selector.evaluate(request);
}

/** Selects the outcome of the first rule whose condition holds; `OFF` if there is none. */
export function firstMatching(
  rules: readonly Pick<Decision, "condition" | "outcome">[],
): OutcomeSelector {
  if (rules.length === 0) return OFF;
  return (request) => {
    const matching = rules.find(({ condition }) => holds(condition, request));
    return matching === undefined ? OFF : selectOutcome(matching.outcome, request);
  };
}

export function toSelector(decision: Decision): OutcomeSelector {
  const { condition, outcome, otherwise } = decision;
  if (typeof condition === "boolean") return condition ? outcome : otherwise;
  return (
    (condition.target && toTargeting(condition.target, decision)) ??
    ((request) => selectOutcome(condition(request) ? outcome : otherwise, request))
  );
}

/** Returns undefined if the decision is neither a rollout nor targeting. */
function toTargeting(
  { lists, rollout }: Target,
  { outcome, otherwise }: Decision,
): Rollout | Targeting | undefined {
  const targeted = rollout === undefined ? outcome : withOutcomes(rollout, outcome, otherwise);
  if (lists.length === 0 && targeted instanceof Rollout) return targeted;
  if (!isFixedOrRollout(targeted) || !isFixedOrRollout(otherwise)) return undefined;
  return new Targeting(lists, targeted, otherwise);
}

/** Replaces the outcomes 1 and 0 of a rollout. */
function withOutcomes(
  rollout: Rollout,
  outcome: OutcomeSelector,
  otherwise: OutcomeSelector,
): Rollout | undefined {
  if (typeof outcome !== "number" || typeof otherwise !== "number") return undefined;
  return rollout.map((included) => (included === 1 ? outcome : otherwise));
}

function isFixedOrRollout(selector: OutcomeSelector | undefined): selector is FixedOrRollout {
  return typeof selector === "number" || selector instanceof Rollout;
}
