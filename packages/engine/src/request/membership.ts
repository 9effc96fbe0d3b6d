import type { EvaluationRequest, Slot } from "./evaluation-request.ts";
import type { MemberTable } from "./member-table.ts";

interface MembershipParts {
  readonly text: Slot<string | null>;
  readonly table: MemberTable;
  /** In which lists of the table the text is. */
  readonly all: Slot<readonly number[]>;
  /** The list that is meant. */
  readonly position: number;
}

/**
 * Whether a text of the context is in a list. When all flags are evaluated, all the lists that the
 * same text is looked up in are done in one go.
 */
export class Membership {
  readonly #text: Slot<string | null>;
  readonly #table: MemberTable;
  readonly #all: Slot<readonly number[]>;
  readonly #position: number;

  constructor({ text, table, all, position }: MembershipParts) {
    this.#text = text;
    this.#table = table;
    this.#all = all;
    this.#position = position;
  }

  read(request: EvaluationRequest): boolean {
    if (request.isOfAllFlags) return request.read(this.#all)[this.#position] === 1;
    return this.#table.has(request.read(this.#text), this.#position);
  }
}
