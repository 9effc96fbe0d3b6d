import { hash } from "node:crypto";

// NOTE: odd factors keep every bit of what came before, and make the order matter.
const HIGH_FACTOR = 0x01000193;
const LOW_FACTOR = 0x5bd1e995;

/** The halves of the entity tag of an answer without pieces. */
export const START_HIGH = 0x243f6a88;
export const START_LOW: number = 0x85a308d3 | 0;

/**
 * What a piece does to the entity tag of its answer: each half of the tag is multiplied by the
 * factor, then the hash is added.
 */
interface Mark {
  readonly high: number;
  readonly highFactor: number;
  readonly low: number;
  readonly lowFactor: number;
}

/** What stands before each flag of a list; the beginning of the list is written over the first. */
export const SEPARATOR = ",";

/**
 * A piece of an answer, prepared once. A class, so that all pieces have one shape: reading them is
 * several times as fast then.
 */
export class Fragment implements Mark {
  /** A number of flags, each behind a separator. */
  readonly bytes: Buffer;
  readonly high: number;
  readonly highFactor: number;
  readonly low: number;
  readonly lowFactor: number;

  constructor(bytes: Buffer, { high, highFactor, low, lowFactor }: Mark) {
    this.bytes = bytes;
    this.high = high;
    this.highFactor = highFactor;
    this.low = low;
    this.lowFactor = lowFactor;
  }
}

/** The piece of a flag. Its hashes depend on the text alone. */
export function createFragment(text: string): Fragment {
  const digest = hash("sha256", text, "buffer");
  return new Fragment(Buffer.from(SEPARATOR + text), {
    high: digest.readInt32BE(0),
    highFactor: HIGH_FACTOR,
    low: digest.readInt32BE(4),
    lowFactor: LOW_FACTOR,
  });
}

/** What an answer is made of. */
export interface Pieces {
  /** In their order. */
  readonly bytes: readonly Buffer[];
  /** Of all of them. */
  readonly byteLength: number;
  /** The halves of the entity tag. */
  readonly high: number;
  readonly low: number;
}

/** What pieces do to the entity tag of an answer, one after the other. */
function joinMarks(marks: readonly Mark[]): Mark {
  let [high, highFactor, low, lowFactor] = [0, 1, 0, 1];
  for (const next of marks) {
    high = (Math.imul(high, next.highFactor) + next.high) | 0;
    highFactor = Math.imul(highFactor, next.highFactor);
    low = (Math.imul(low, next.lowFactor) + next.low) | 0;
    lowFactor = Math.imul(lowFactor, next.lowFactor);
  }
  return { high, highFactor, low, lowFactor };
}

/** Makes one piece of many; an answer comes out the same whether they are joined or not. */
export function joinFragments(fragments: readonly Fragment[]): Fragment {
  const bytes = Buffer.concat(fragments.map((fragment) => fragment.bytes));
  return new Fragment(bytes, joinMarks(fragments));
}

/** The pieces of an answer that is made of these. */
export function toPieces(fragments: readonly Fragment[]): Pieces {
  const { high, highFactor, low, lowFactor } = joinMarks(fragments);
  const bytes = fragments.map((fragment) => fragment.bytes);
  return {
    bytes,
    byteLength: bytes.reduce((sum, { length }) => sum + length, 0),
    high: (Math.imul(START_HIGH, highFactor) + high) | 0,
    low: (Math.imul(START_LOW, lowFactor) + low) | 0,
  };
}
