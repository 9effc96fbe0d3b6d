import type { EvaluationRequest, Slot } from "./evaluation-request.ts";
import type { Membership } from "./membership-old.ts";
import { settle, type NumberOrSplit, type Targeting } from "./targeting-old.ts";

/** The lists that one text is in, by position. */
type FoundLists = Slot<readonly number[]>;

/**
 * Flags that are for those in some list, by that list: all that the lists of a request do not lead
 * to cost nothing, and flags for the same lists are decided together. This is a hot path.
 */
export class TargetingTable {
  readonly #found: FoundLists;
  /** By position of the first list. */
  readonly #groups: TargetedGroup[][] = [];
  readonly #groupsByLists = new Map<string, TargetedGroup>();

  constructor(found: FoundLists) {
    this.#found = found;
  }

  /** Adds the flag at an index. */
  add(index: number, { lists, answer }: Targeting): void {
    const key = lists.map((list) => list.key).join(" ");
    let group = this.#groupsByLists.get(key);
    if (group === undefined) {
      group = this.#createGroup(lists);
      this.#groupsByLists.set(key, group);
    }
    group.add(index, answer);
  }

  /** Writes the outcomes of those flags to their places whose lists the request is in. */
  decide(request: EvaluationRequest, outcomes: Int32Array): void {
    for (const position of request.read(this.#found)) {
      for (const group of this.#groups[position] ?? []) group.decide(request, outcomes);
    }
  }

  #createGroup([first, ...others]: readonly Membership[]): TargetedGroup {
    const group = new TargetedGroup(others);
    if (first !== undefined) (this.#groups[first.position] ??= []).push(group);
    return group;
  }
}

/** Flags for the same lists. */
class TargetedGroup {
  readonly #otherLists: readonly Membership[];
  readonly #indexes: number[] = [];
  readonly #answers: NumberOrSplit[] = [];

  constructor(otherLists: readonly Membership[]) {
    this.#otherLists = otherLists;
  }

  add(index: number, answer: NumberOrSplit): void {
    this.#indexes.push(index);
    this.#answers.push(answer);
  }

  decide(request: EvaluationRequest, outcomes: Int32Array): void {
    for (const list of this.#otherLists) if (!list.read(request)) return;
    const [indexes, answers] = [this.#indexes, this.#answers];
    for (let i = 0; i < indexes.length; i++) {
      outcomes[indexes[i] ?? 0] = settle(answers[i] ?? 0, request);
    }
  }
}

/** A flag that is a targeting. */
export interface TargetingFlag {
  readonly index: number;
  readonly targeting: Targeting;
}

/** Puts flags into tables, those whose first lists are of the same text into the same one. */
export function toTargetingTables(flags: Iterable<TargetingFlag>): readonly TargetingTable[] {
  const tables = new Map<FoundLists, TargetingTable>();
  for (const { index, targeting } of flags) {
    const [first] = targeting.lists;
    if (first === undefined) continue;
    const table = tables.get(first.found) ?? new TargetingTable(first.found);
    table.add(index, targeting);
    tables.set(first.found, table);
  }
  return [...tables.values()];
}
