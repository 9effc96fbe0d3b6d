import type { EvaluationRequest } from "./evaluation-request.ts";
import type { ListIndex, Membership } from "./membership.ts";
import { resolveRollout } from "./rollout.ts";
import type { FixedOrRollout } from "./rollout.ts";

/**
 * One outcome for contexts that are in all of certain lists, another for all other contexts.
 * Flags for a list of users, countries or plans compile to this.
 */
export class Targeting {
  /** At least one list. */
  readonly lists: readonly Membership[];
  readonly outcome: FixedOrRollout;
  readonly otherwise: FixedOrRollout;

  constructor(lists: readonly Membership[], outcome: FixedOrRollout, otherwise: FixedOrRollout) {
    this.lists = lists;
    this.outcome = outcome;
    this.otherwise = otherwise;
  }

  evaluate(request: EvaluationRequest): number {
    const isTargeted = this.lists.every((list) => list.read(request));
    return resolveRollout(isTargeted ? this.outcome : this.otherwise, request);
  }
}

export interface TargetingFlag {
  readonly index: number;
  readonly targeting: Targeting;
}

interface TargetedGroup {
  readonly otherLists: readonly Membership[];
  readonly indexes: number[];
  readonly outcomes: FixedOrRollout[];
}

/**
 * Targeting flags by the first of their lists. Flags whose first list does not contain the text of the context cost nothing,
 * and flags with the same lists are evaluated together. This is a hot path.
 */
export class TargetingTable {
  /** By the position of the first list in its index. */
  readonly #groups = new Map<ListIndex, TargetedGroup[][]>();

  constructor(flags: Iterable<TargetingFlag>) {
    const groups = new Map<string, TargetedGroup>();
    for (const { index, targeting } of flags) {
      const key = targeting.lists.map((list) => list.key).join(" ");
      const group = groups.get(key) ?? this.#createGroup(targeting.lists);
      groups.set(key, group);
      group.indexes.push(index);
      group.outcomes.push(targeting.outcome);
    }
  }

  /** Writes the outcomes of the flags that target the context. Leaves the others unchanged. */
  evaluate(request: EvaluationRequest, outcomes: Int32Array): void {
    for (const [index, groups] of this.#groups) {
      for (const position of request.read(index.containing)) {
        for (const group of groups[position] ?? []) evaluateGroup(group, request, outcomes);
      }
    }
  }

  #createGroup([first, ...otherLists]: readonly Membership[]): TargetedGroup {
    const group = { otherLists, indexes: [], outcomes: [] };
    if (first === undefined) return group;
    const groups = this.#groups.get(first.index) ?? [];
    this.#groups.set(first.index, groups);
    (groups[first.position] ??= []).push(group);
    return group;
  }
}

function evaluateGroup(
  { otherLists, indexes, outcomes: targeted }: TargetedGroup,
  request: EvaluationRequest,
  outcomes: Int32Array,
): void {
  for (const list of otherLists) if (!list.read(request)) return;
  for (let i = 0; i < indexes.length; i++) {
    outcomes[indexes[i] ?? 0] = resolveRollout(targeted[i] ?? 0, request);
  }
}
