import { OFF } from "../outcome.ts";
import type { Condition, Target } from "./condition.ts";
import type { EvaluationRequest, FlagEvaluator } from "./evaluation-request.ts";
import { Rollout } from "./rollout.ts";
import type { FixedOrRollout } from "./rollout.ts";
import { Targeting } from "./targeting.ts";

/** The index of an outcome, or how to select it for a request. */
export type OutcomeSelector =
  | number
  | Rollout
  | Targeting
  | ((request: EvaluationRequest) => number);

/** One outcome if the condition holds, another if it does not. */
export interface Decision {
  readonly condition: Condition;
  readonly outcome: OutcomeSelector;
  readonly otherwise: OutcomeSelector;
}

/** Returns a decision that does not depend on a condition. */
export function unconditional(outcome: OutcomeSelector): Decision {
  return { condition: true, outcome, otherwise: outcome };
}

/** Returns the index of the outcome for a request. */
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

function holds(condition: Condition, request: EvaluationRequest): boolean {
  return typeof condition === "boolean" ? condition : condition(request);
}

/** Reduces a decision to its simplest form. */
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
  return new Targeting({ lists, outcome: targeted, otherwise });
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

/** Creates the evaluator of a flag from its decision and the simplest form of that decision. */
export function createEvaluator(
  index: number,
  decision: Decision,
  selector: OutcomeSelector,
): FlagEvaluator {
  return typeof selector === "object"
    ? new SimpleEvaluator(index, selector)
    : new DecisionEvaluator(index, decision);
}

/** Evaluates a flag that compiled to a rollout or to targeting. */
export class SimpleEvaluator implements FlagEvaluator {
  readonly index: number;
  readonly selector: Rollout | Targeting;

  constructor(index: number, selector: Rollout | Targeting) {
    this.index = index;
    this.selector = selector;
  }

  evaluate(request: EvaluationRequest): number {
    return this.selector.evaluate(request);
  }
}

/**
 * Evaluates any other flag. This is a hot path: most flags have a single condition, so it is
 * evaluated here instead of in a closure.
 */
class DecisionEvaluator implements FlagEvaluator {
  readonly index: number;
  readonly #condition: Condition;
  readonly #outcome: OutcomeSelector;
  readonly #otherwise: OutcomeSelector;

  constructor(index: number, { condition, outcome, otherwise }: Decision) {
    this.index = index;
    this.#condition = condition;
    this.#outcome = outcome;
    this.#otherwise = otherwise;
  }

  evaluate(request: EvaluationRequest): number {
    const outcome = holds(this.#condition, request) ? this.#outcome : this.#otherwise;
    return selectOutcome(outcome, request);
  }
}
