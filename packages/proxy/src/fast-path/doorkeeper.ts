import type { MarkedText } from "./marked-text.ts";

const SLOTS = 1 << 16;

/**
 * Remembers which texts came by lately, in a fixed amount of memory and without holding on to them: of
 * those with the same slot, the last one. It takes one text for another, but hardly ever.
 */
export class Doorkeeper {
  readonly #seen = new Int32Array(SLOTS);

  /** Whether a text came by lately; from now on it did. */
  knows({ mark, check }: MarkedText): boolean {
    const slot = (mark >>> 8) % SLOTS;
    if (this.#seen[slot] === check) return true;
    this.#seen[slot] = check;
    return false;
  }
}
