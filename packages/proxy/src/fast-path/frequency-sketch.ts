/** Slots of each of the two rows. */
const SLOTS = 1 << 16;

/** All counts are halved after so many increments, so that old traffic loses its weight. */
const HALVE_AFTER = 1 << 15;

const MAX_COUNT = 255;

/**
 * Estimates how often a text occurred recently, in a fixed 128 KiB and without keeping any text: a
 * count-min sketch with ageing, as in TinyLFU (Einziger, Friedman and Manes, 2017). An estimate can be
 * too high, so use it only to decide what is worth caching, never to tell texts apart.
 */
export class FrequencySketch {
  readonly #counts = new Uint8Array(2 * SLOTS);
  #increments = 0;

  /** Counts one occurrence and returns the estimate, this occurrence included. */
  increment(text: string): number {
    const hash = fnv1a(text);
    const first = hash & 0xffff;
    const second = SLOTS + (hash >>> 16);
    const count = Math.min(this.#add(first), this.#add(second));
    this.#increments += 1;
    if (this.#increments === HALVE_AFTER) this.#halve();
    return count;
  }

  estimate(text: string): number {
    const hash = fnv1a(text);
    return Math.min(this.#counts[hash & 0xffff] ?? 0, this.#counts[SLOTS + (hash >>> 16)] ?? 0);
  }

  #add(slot: number): number {
    const count = Math.min((this.#counts[slot] ?? 0) + 1, MAX_COUNT);
    this.#counts[slot] = count;
    return count;
  }

  #halve(): void {
    this.#increments = 0;
    for (let slot = 0; slot < this.#counts.length; slot++) {
      this.#counts[slot] = (this.#counts[slot] ?? 0) >> 1;
    }
  }
}

/** FNV-1a, 32 bits. */
function fnv1a(text: string): number {
  // NOTE: `| 0` makes V8 keep this as an integer from the start.
  let hash = 0x811c9dc5 | 0;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
