const SLOTS = 1 << 16;

/**
 * Remembers which texts came by lately, in a fixed amount of memory and without holding on to them.
 * It may take one text for another, and forgets: good enough to decide what is worth keeping.
 */
export class Doorkeeper {
  readonly #seen = new Uint32Array(SLOTS);

  /** Whether this text came by before; from now on it did. */
  knows(text: string): boolean {
    const mark = markOf(text);
    const slot = (mark >>> 8) % SLOTS;
    if (this.#seen[slot] === mark) return true;
    this.#seen[slot] = mark;
    return false;
  }
}

/** A number from 1 that is most likely another one for another text (FNV-1a). */
function markOf(text: string): number {
  // NOTE: without `| 0` this begins as a number of another kind, and takes three times as long.
  let mark = 0x811c9dc5 | 0;
  for (let i = 0; i < text.length; i++) mark = Math.imul(mark ^ text.charCodeAt(i), 0x01000193);
  return (mark | 1) >>> 0;
}
