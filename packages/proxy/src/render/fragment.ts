import { createHash } from "node:crypto";

/**
 * A piece of an answer, prepared once, and what it does to the entity tag of the answer: each half
 * of the tag is multiplied by the factor, then the hash is added.
 */
export interface Fragment {
  readonly text: string;
  readonly high: number;
  readonly highFactor: number;
  readonly low: number;
  readonly lowFactor: number;
}

// NOTE: odd factors keep every bit of what came before, and make the order matter.
const HIGH_FACTOR = 0x01000193;
const LOW_FACTOR = 0x5bd1e995;

/** Prepares a piece of an answer. Its hash depends on the text alone. */
export function createFragment(text: string): Fragment {
  const digest = createHash("sha256").update(text).digest();
  return {
    text,
    high: digest.readInt32BE(0),
    highFactor: HIGH_FACTOR,
    low: digest.readInt32BE(4),
    lowFactor: LOW_FACTOR,
  };
}

/** Makes one piece of two; an answer comes out the same whether they are joined or not. */
export function joinFragments(first: Fragment, second: Fragment): Fragment {
  return {
    text: `${first.text},${second.text}`,
    high: (Math.imul(first.high, second.highFactor) + second.high) | 0,
    highFactor: Math.imul(first.highFactor, second.highFactor),
    low: (Math.imul(first.low, second.lowFactor) + second.low) | 0,
    lowFactor: Math.imul(first.lowFactor, second.lowFactor),
  };
}
