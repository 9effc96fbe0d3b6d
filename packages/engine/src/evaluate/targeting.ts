import type { EvaluationRequest, Slot } from "./evaluation-request.ts";
import type { Membership } from "./membership.ts";
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

/** A flag that compiled to targeting. */
export interface TargetingFlag {
  /** The index of the flag in the snapshot. */
  readonly index: number;
  readonly targeting: Targeting;
}

/** The positions of the lists that contain one text of the context. */
type ContainingLists = Slot<readonly number[]>;

/**
 * Targeting flags by the first of their lists. All first lists refer to the same text of the context.
 * Flags whose first list does not contain that text cost nothing, and flags with the same lists are
 * evaluated together. This is a hot path.
 */
export class TargetingTable {
  readonly #containingLists: ContainingLists;
  /** By the position of the first list. */
  readonly #groups: TargetedGroup[][] = [];
  readonly #groupsByLists = new Map<string, TargetedGroup>();

  constructor(containingLists: ContainingLists) {
    this.#containingLists = containingLists;
  }

  add({ index, targeting: { lists, outcome } }: TargetingFlag): void {
    const key = lists.map((list) => list.key).join(" ");
    let group = this.#groupsByLists.get(key);
    if (group === undefined) {
      group = this.#createGroup(lists);
      this.#groupsByLists.set(key, group);
    }
    group.add(index, outcome);
  }

  /** Writes the outcomes of the flags that target the context. Leaves the others unchanged. */
  evaluate(request: EvaluationRequest, outcomes: Int32Array): void {
    for (const position of request.read(this.#containingLists)) {
      for (const group of this.#groups[position] ?? []) group.evaluate(request, outcomes);
    }
  }

  #createGroup([first, ...others]: readonly Membership[]): TargetedGroup {
    const group = new TargetedGroup(others);
    if (first !== undefined) (this.#groups[first.position] ??= []).push(group);
    return group;
  }
}

/** Flags with the same lists. */
class TargetedGroup {
  readonly #otherLists: readonly Membership[];
  readonly #indexes: number[] = [];
  readonly #outcomes: FixedOrRollout[] = [];

  constructor(otherLists: readonly Membership[]) {
    this.#otherLists = otherLists;
  }

  add(index: number, outcome: FixedOrRollout): void {
    this.#indexes.push(index);
    this.#outcomes.push(outcome);
  }

  evaluate(request: EvaluationRequest, outcomes: Int32Array): void {
    for (const list of this.#otherLists) if (!list.read(request)) return;
    const [indexes, targeted] = [this.#indexes, this.#outcomes];
    for (let i = 0; i < indexes.length; i++) {
      outcomes[indexes[i] ?? 0] = resolveRollout(targeted[i] ?? 0, request);
    }
  }
}

/** Groups flags into one table per text that their first lists refer to. */
export function toTargetingTables(flags: Iterable<TargetingFlag>): readonly TargetingTable[] {
  const tables = new Map<ContainingLists, TargetingTable>();
  for (const flag of flags) {
    const [first] = flag.targeting.lists;
    if (first === undefined) continue;
    const table = tables.get(first.containingLists) ?? new TargetingTable(first.containingLists);
    table.add(flag);
    tables.set(first.containingLists, table);
  }
  return [...tables.values()];
}
