import type { MarkedText } from "./marked-text.ts";

const SLOTS = 1 << 16;

/**
 * Remembers which texts came by lately, in a fixed amount of memory and without holding on to them.
 * It forgets, and may take one text for another, if hardly ever: good enough to decide what is worth
 * keeping.
 */
export class Doorkeeper {
  readonly #seen = new Int32Array(SLOTS);

  /** Whether a text came by before; from now on it did. */
  knows({ mark, check }: MarkedText): boolean {
    const slot = (mark >>> 8) % SLOTS;
    if (this.#seen[slot] === check) return true;
    this.#seen[slot] = check;
    return false;
  }
}
