import type { EvaluationRequest, Slot } from "./evaluation-request.ts";

const NO_LISTS: readonly number[] = [];

type Derive = <Value>(form: string, derive: (text: string | null) => Value) => Slot<Value>;

/**
 * An inverted index of the lists of strings that one text of the context is compared with. One lookup finds all lists that
 * contain the text, however many lists there are. A list is identified by its position in the order of insertion.
 */
export class ListIndex {
  readonly text: Slot<string | null>;
  /** The positions of the lists that contain the text. */
  readonly containing: Slot<readonly number[]>;
  /** One number per list: 1 if the list contains the text, otherwise 0. */
  readonly memberships: Slot<readonly number[]>;
  readonly #listsByText = new Map<string, number[]>();
  readonly #zeros: number[] = [];

  constructor(text: Slot<string | null>, derive: Derive) {
    this.text = text;
    this.containing = derive("lists", (value) => this.listsWith(value));
    this.memberships = derive("memberships", (value) => this.#membershipsOf(value));
  }

  add(values: Iterable<string>): Membership {
    const position = this.#zeros.push(0) - 1;
    for (const value of new Set(values)) {
      const lists = this.#listsByText.get(value);
      if (lists === undefined) this.#listsByText.set(value, [position]);
      else lists.push(position);
    }
    return new Membership(this, position);
  }

  /** Returns the positions of the lists that contain the text. No list contains null. */
  listsWith(text: string | null): readonly number[] {
    return (text === null ? undefined : this.#listsByText.get(text)) ?? NO_LISTS;
  }

  #membershipsOf(text: string | null): readonly number[] {
    const memberships = this.#zeros.slice();
    for (const position of this.listsWith(text)) memberships[position] = 1;
    return memberships;
  }
}

/** Whether a list contains a string of the context. */
export class Membership {
  readonly index: ListIndex;
  readonly position: number;
  /** Identifies the text and the list within the snapshot. */
  readonly key: string;

  constructor(index: ListIndex, position: number) {
    this.index = index;
    this.position = position;
    this.key = `${index.containing.index}:${position}`;
  }

  /** NOTE: when all flags are evaluated, all lists that may contain the same text are looked up at once. */
  read(request: EvaluationRequest): boolean {
    const { index, position } = this;
    if (request.evaluatesAllFlags) return request.read(index.memberships)[position] === 1;
    return index.listsWith(request.read(index.text)).includes(position);
  }
}
