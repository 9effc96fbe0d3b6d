import type { EvaluationRequest } from "./evaluation-request.ts";
import type { Membership } from "./membership-old.ts";
import type { Split } from "./rollout.ts";

/** What most conditions come down to: being in every one of some lists, and then in a share. */
export interface Target {
  readonly lists: readonly Membership[];
  /** A split with the outcomes 0 and 1; undefined for everybody. */
  readonly share: Split | undefined;
}

/** Decides something about a request. Must not throw. */
export interface Predicate {
  (request: EvaluationRequest): boolean;
  /** The same in this form, when it comes down to that. */
  readonly target?: Target | undefined;
}

/** A predicate, or its result when that is the same for every request. */
export type Condition = Predicate | boolean;

/** Holds for a text of the context that is in the list. */
export function isInList(list: Membership): Predicate {
  const target = { lists: [list], share: undefined };
  return Object.assign((request: EvaluationRequest) => list.read(request), { target });
}

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
  const predicate: Predicate =
    open.length === 2
      ? (request) => first(request) && second(request)
      : (request) => open.every((one) => one(request));
  return Object.assign(predicate, { target: joinTargets(open.map(({ target }) => target)) });
}

/** The target of all conditions together; none if one has none, or if there are two shares. */
function joinTargets(targets: readonly (Target | undefined)[]): Target | undefined {
  const lists: Membership[] = [];
  let share: Split | undefined;
  for (const target of targets) {
    if (target === undefined || (share && target.share)) return undefined;
    lists.push(...target.lists);
    share ??= target.share;
  }
  return { lists, share };
}
