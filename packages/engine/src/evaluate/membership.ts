const NOWHERE: readonly number[] = [];

/**
 * Lists of texts that texts of one kind are looked up in. It is kept by text and not by list, so
 * that one look tells all the lists that a text is in, however many lists there are.
 */
export class MemberTable {
  readonly #listsByText = new Map<string, number[]>();
  /** One zero for each list. */
  readonly #none: number[] = [];

  /** Adds a list and returns its position. */
  add(members: Iterable<string>): number {
    const position = this.#none.push(0) - 1;
    for (const member of new Set(members)) {
      const lists = this.#listsByText.get(member);
      if (lists === undefined) this.#listsByText.set(member, [position]);
      else lists.push(position);
    }
    return position;
  }

  /** Whether the text is in the list at a position; no text is in none. */
  has(text: string | null, position: number): boolean {
    return this.listsOf(text).includes(position);
  }

  /** The positions of the lists that the text is in. */
  listsOf(text: string | null): readonly number[] {
    return (text === null ? undefined : this.#listsByText.get(text)) ?? NOWHERE;
  }

  /** One number for each list: 1 if the text is in it, else 0. */
  membershipsOf(text: string | null): readonly number[] {
    const memberships = this.#none.slice();
    for (const position of this.listsOf(text)) memberships[position] = 1;
    return memberships;
  }
}
