import type { EvaluationRequest, Slot } from "./evaluation-request.ts";
import type { MemberTable } from "./membership.ts";

interface MembershipParts {
  readonly text: Slot<string | null>;
  readonly table: MemberTable;
  /** The positions of the lists of the table that the text is in. */
  readonly found: Slot<readonly number[]>;
  /** For each list of the table whether the text is in it. */
  readonly all: Slot<readonly number[]>;
  /** The list that is meant. */
  readonly position: number;
}

/**
 * Whether a text of the context is in a list. When all flags are evaluated, all the lists that the
 * same text is looked up in are done in one go.
 */
export class Membership {
  readonly found: Slot<readonly number[]>;
  readonly position: number;
  /** Tells the list from all others of the snapshot. */
  readonly key: string;
  readonly #text: Slot<string | null>;
  readonly #table: MemberTable;
  readonly #all: Slot<readonly number[]>;

  constructor({ text, table, found, all, position }: MembershipParts) {
    this.#text = text;
    this.#table = table;
    this.found = found;
    this.#all = all;
    this.position = position;
    this.key = `${text.index}:${position}`;
  }

  read(request: EvaluationRequest): boolean {
    if (request.isOfAllFlags) return request.read(this.#all)[this.position] === 1;
    return this.#table.has(request.read(this.#text), this.position);
  }
}
