import { START_HIGH, START_LOW } from "../fragment.ts";
import { NOWHERE, pieceMemory, WORD_BYTES } from "./piece-memory.ts";
import { lengthOf, type Region } from "./regions.ts";

/** What is where in the totals of a choice, in words. */
const BYTE_LENGTH = 0;
const HIGH = 1;
const LOW = 2;

/** How far gathering looks ahead in a list, in words. */
const LOOK_AHEAD = 8;

/** Pieces that were chosen for an answer. */
export interface Choice {
  /** The address of each; of those that do not exist yet, where their mark is, with the sign turned. */
  readonly list: Int32Array;
  /** How many do not exist. If any, what follows is wrong. */
  readonly missingCount: number;
  /** Of all of them. */
  readonly byteLength: number;
  /** The halves of the entity tag. */
  readonly high: number;
  readonly low: number;
}

/**
 * A hot path: how WebAssembly chooses the pieces of an answer, and puts them together. What it is
 * given for that lies in the memory of the pieces, and is overwritten with each answer.
 */
class Assembly {
  readonly #totals = pieceMemory.take(1);
  #list = pieceMemory.take(1);
  #outcomesRegion = pieceMemory.take(1);
  #outcomes = pieceMemory.wordsOf(this.#outcomesRegion, 0);

  /** A vector for so many outcomes. It is the caller's until the next call of this or of choose(). */
  outcomes(count: number): Int32Array {
    if (this.#outcomes.length !== count) {
      this.#outcomesRegion = enlarged(this.#outcomesRegion, count);
      this.#outcomes = pieceMemory.wordsOf(this.#outcomesRegion, count);
    }
    return this.#outcomes;
  }

  /** Chooses a piece for each of so many records of stretches, going by outcomes. */
  choose(records: Region, count: number, outcomes: Int32Array): Choice {
    const vector = this.outcomes(outcomes.length);
    if (outcomes !== vector) vector.set(outcomes);
    const list = this.#listOf(count);
    const totals = this.#totals.start / WORD_BYTES;
    const { module, words } = pieceMemory;
    words[totals + BYTE_LENGTH] = 0;
    words[totals + HIGH] = START_HIGH;
    words[totals + LOW] = START_LOW;
    const missingCount = module.choose(
      records.start,
      records.end,
      vector.byteOffset,
      list,
      this.#totals.start,
    );
    return {
      list: words.slice(list / WORD_BYTES, list / WORD_BYTES + count),
      missingCount,
      byteLength: words[totals + BYTE_LENGTH] ?? 0,
      high: words[totals + HIGH] ?? 0,
      low: words[totals + LOW] ?? 0,
    };
  }

  /** Copies the pieces of a list to an address, one behind the other, and returns where they end. */
  gather(list: Int32Array, to: number): number {
    const start = this.#listOf(list.length);
    const { module, words } = pieceMemory;
    const end = start / WORD_BYTES + list.length;
    words.set(list, start / WORD_BYTES);
    words.fill(NOWHERE, end, end + LOOK_AHEAD);
    // NOTE: beyond 2 GB an address is negative in WebAssembly.
    return module.gather(start, end * WORD_BYTES, to) >>> 0;
  }

  /** Where there is room for a list of so many pieces. */
  #listOf(count: number): number {
    this.#list = enlarged(this.#list, count + LOOK_AHEAD);
    return this.#list.start;
  }
}

/** A region for so many words: the same one, if there is room in it. */
function enlarged(region: Region, length: number): Region {
  const byteLength = length * WORD_BYTES;
  if (byteLength <= lengthOf(region)) return region;
  const larger = pieceMemory.take(byteLength);
  pieceMemory.giveBack(region);
  return larger;
}

export const assembly: Assembly = new Assembly();
