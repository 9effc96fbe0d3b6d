import type { EvaluationRequest } from "../request/evaluation-request.ts";
import type { Split } from "./split.ts";

/** Decides something about a request. Must not throw. */
export interface Predicate {
  (request: EvaluationRequest): boolean;
  /** The same as a split with the outcomes 0 and 1, when it goes by the bucket of an id alone. */
  readonly split?: Split;
}

/** A predicate, or its result when that is the same for every request. */
export type Condition = Predicate | boolean;

/** The opposite condition. */
export function not(condition: Condition): Condition {
  return typeof condition === "boolean" ? !condition : (request) => !condition(request);
}

/** Holds when all of the conditions hold; they are asked in order, up to the first that fails. */
export function all(conditions: readonly Condition[]): Condition {
  const open: Predicate[] = [];
  for (const condition of conditions) {
    if (condition === false) return false;
    if (condition !== true) open.push(condition);
  }
  const [first, second] = open;
  if (first === undefined) return true;
  if (second === undefined) return first;
  if (open.length === 2) return (request) => first(request) && second(request);
  return (request) => open.every((predicate) => predicate(request));
}
