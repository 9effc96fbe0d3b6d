import type { EvaluationRequest, Slot } from "./evaluation-request.ts";

const NO_LISTS: readonly number[] = [];

/**
 * An inverted index of lists of strings. One lookup finds all lists that contain a string, however many
 * lists there are. A list is identified by its position in the order of insertion.
 */
export class ListIndex {
  readonly #listsByText = new Map<string, number[]>();
  /** The memberships of a string that no list contains: one zero per list. */
  readonly #zeros: number[] = [];

  /** Adds a list and returns its position. */
  add(values: Iterable<string>): number {
    const position = this.#zeros.push(0) - 1;
    for (const value of new Set(values)) {
      const lists = this.#listsByText.get(value);
      if (lists === undefined) this.#listsByText.set(value, [position]);
      else lists.push(position);
    }
    return position;
  }

  /** Returns whether a list contains the text. No list contains null. */
  contains(text: string | null, position: number): boolean {
    return this.listsWith(text).includes(position);
  }

  /** Returns the positions of the lists that contain the text. */
  listsWith(text: string | null): readonly number[] {
    return (text === null ? undefined : this.#listsByText.get(text)) ?? NO_LISTS;
  }

  /** Returns one number per list: 1 if the list contains the text, otherwise 0. */
  membershipsOf(text: string | null): readonly number[] {
    const memberships = this.#zeros.slice();
    for (const position of this.listsWith(text)) memberships[position] = 1;
    return memberships;
  }
}

interface MembershipOptions {
  readonly text: Slot<string | null>;
  readonly lists: ListIndex;
  /** `lists.listsWith(text)` */
  readonly containingLists: Slot<readonly number[]>;
  /** `lists.membershipsOf(text)` */
  readonly memberships: Slot<readonly number[]>;
  /** The position of the list. */
  readonly position: number;
}

/**
 * Whether a list contains a string of the context. When all flags are evaluated, all lists that may
 * contain the same text are looked up at once.
 */
export class Membership {
  readonly containingLists: Slot<readonly number[]>;
  readonly position: number;
  /** Identifies the text and the list within the snapshot. */
  readonly key: string;
  readonly #text: Slot<string | null>;
  readonly #lists: ListIndex;
  readonly #memberships: Slot<readonly number[]>;

  constructor({ text, lists, containingLists, memberships, position }: MembershipOptions) {
    this.#text = text;
    this.#lists = lists;
    this.containingLists = containingLists;
    this.#memberships = memberships;
    this.position = position;
    this.key = `${text.index}:${position}`;
  }

  read(request: EvaluationRequest): boolean {
    if (request.evaluatesAllFlags) return request.read(this.#memberships)[this.position] === 1;
    return this.#lists.contains(request.read(this.#text), this.position);
  }
}
