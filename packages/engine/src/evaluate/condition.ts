import type { EvaluationRequest } from "./evaluation-request.ts";
import type { Membership } from "./membership.ts";
import type { Rollout } from "./rollout.ts";

/** The common form of a condition: every list contains its text, and the rollout includes the id. */
export interface Target {
  readonly lists: readonly Membership[];
  /** A rollout with the outcomes 0 and 1. Undefined if it includes every context. */
  readonly rollout: Rollout | undefined;
}

/** A condition that depends on the request. Must not throw. */
export interface Predicate {
  (request: EvaluationRequest): boolean;
  /** The same condition as a target, if it has that form. Targets are evaluated together. */
  readonly target?: Target | undefined;
}

/** A predicate, or its result if that is the same for every request. */
export type Condition = Predicate | boolean;

export function holds(condition: Condition, request: EvaluationRequest): boolean {
  return typeof condition === "boolean" ? condition : condition(request);
}

export function inList(list: Membership): Predicate {
  const target = { lists: [list], rollout: undefined };
  return Object.assign((request: EvaluationRequest) => list.read(request), { target });
}

/** Holds if a rollout with the outcomes 0 and 1 returns 1. */
export function inRollout(rollout: Rollout): Predicate {
  const target = { lists: [], rollout };
  return Object.assign((request: EvaluationRequest) => rollout.evaluate(request) === 1, { target });
}

export function not(condition: Condition): Condition {
  return typeof condition === "boolean" ? !condition : (request) => !condition(request);
}

export function all(conditions: readonly Condition[]): Condition {
  const predicates: Predicate[] = [];
  for (const condition of conditions) {
    if (condition === false) return false;
    if (condition !== true) predicates.push(condition);
  }
  const [first, second] = predicates;
  if (first === undefined) return true;
  if (second === undefined) return first;
  const predicate: Predicate = (request) => predicates.every((one) => one(request));
  const target = joinTargets(predicates.map((one) => one.target));
  return Object.assign(predicate, { target });
}

/** With more lists, conditions are evaluated one by one: strategies with a long segment would each have a copy of its lists. */
const MAX_LISTS = 100;

/** Returns the conjunction of targets. Undefined if one is missing, several have a rollout, or there are many lists. */
function joinTargets(targets: readonly (Target | undefined)[]): Target | undefined {
  const lists: Membership[] = [];
  let rollout: Rollout | undefined;
  for (const target of targets) {
    if (target === undefined || (rollout && target.rollout)) return undefined;
    lists.push(...target.lists);
    if (lists.length > MAX_LISTS) return undefined;
    rollout ??= target.rollout;
  }
  return { lists, rollout };
}
