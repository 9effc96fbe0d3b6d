const SLOTS = 1 << 16;

/**
 * Remembers which texts came by lately, in a fixed amount of memory and without holding on to them.
 * It may take one text for another, and forgets: good enough to decide what is worth keeping.
 */
export class Doorkeeper {
  readonly #seen = new Int32Array(SLOTS);

  /** Whether the text with this mark came by before; from now on it did. */
  knows(mark: number): boolean {
    const slot = (mark >>> 8) % SLOTS;
    if (this.#seen[slot] === mark) return true;
    this.#seen[slot] = mark;
    return false;
  }
}
