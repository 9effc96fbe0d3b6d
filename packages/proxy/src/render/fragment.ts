import { hash } from "node:crypto";

// NOTE: an odd factor keeps every bit of what came before, and makes the order matter.
const FACTOR = 0x5bd1e995;

/** The halves of the entity tag of an answer without pieces. */
export const START_HIGH = 0x243f6a88;
export const START_LOW: number = 0x85a308d3 | 0;

/**
 * What a piece does to the entity tag of its answer: each half of the tag is multiplied by the
 * factor, then the hash is added.
 */
interface Mark {
  readonly factor: number;
  readonly high: number;
  readonly low: number;
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
  readonly factor: number;
  readonly high: number;
  readonly low: number;

  constructor(bytes: Buffer, { factor, high, low }: Mark) {
    this.bytes = bytes;
    this.factor = factor;
    this.high = high;
    this.low = low;
  }
}

/** The piece of a flag. Its hashes depend on the text alone. */
export function createFragment(text: string): Fragment {
  const digest = hash("sha256", text, "buffer");
  return new Fragment(Buffer.from(SEPARATOR + text), {
    factor: FACTOR,
    high: digest.readInt32BE(0),
    low: digest.readInt32BE(4),
  });
}

/** What an answer is made of. */
export interface Pieces {
  /** Of all of them. */
  readonly byteLength: number;
  /** How much memory it takes to know which ones they are. */
  readonly heldBytes: number;
  /** The halves of the entity tag. */
  readonly high: number;
  readonly low: number;
  /**
   * Copies them in their order, and returns where they end.
   *
   * @param room of the memory of the pieces (pieceMemory): others would be taken for a part of it
   */
  writeTo(room: Buffer, start: number): number;
}

const REFERENCE_BYTES = 8;

/** What pieces do to the entity tag of an answer, one after the other. */
export function joinMarks(marks: readonly Mark[]): Mark {
  let [factor, high, low] = [1, 0, 0];
  for (const next of marks) {
    factor = Math.imul(factor, next.factor);
    high = (Math.imul(high, next.factor) + next.high) | 0;
    low = (Math.imul(low, next.factor) + next.low) | 0;
  }
  return { factor, high, low };
}

/** Something that is written with others behind it. */
export type Part = Pick<Fragment, "bytes">;

/** Copies parts one behind the other, and returns where they end. */
export function writeParts(parts: readonly Part[], memory: Uint8Array, start: number): number {
  let end = start;
  for (const { bytes } of parts) {
    memory.set(bytes, end);
    end += bytes.length;
  }
  return end;
}

/** How many bytes pieces have altogether. */
export function byteLengthOf(fragments: readonly Fragment[]): number {
  return fragments.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** The pieces of an answer that is made of these. */
export function toPieces(fragments: readonly Fragment[]): Pieces {
  const { factor, high, low } = joinMarks(fragments);
  return {
    byteLength: byteLengthOf(fragments),
    high: (Math.imul(START_HIGH, factor) + high) | 0,
    low: (Math.imul(START_LOW, factor) + low) | 0,
    heldBytes: fragments.length * REFERENCE_BYTES,
    writeTo: (room, start) => writeParts(fragments, room, start),
  };
}
