import type { Evaluation, Outcome } from "flags-engine";
import type { FlagFragments } from "./flag-fragments.ts";
import { byteLengthOf, joinMarks, type Fragment } from "./fragment.ts";
import { assembly, type Choice } from "./pieces/assembly.ts";
import { GatheredPieces } from "./pieces/gathered-pieces.ts";
import { NOWHERE, WORD_BYTES, pieceMemory } from "./pieces/piece-memory.ts";
import { PieceStore } from "./pieces/piece-store.ts";
import type { Region } from "./pieces/regions.ts";

/** One outcome index for each flag of a snapshot. */
export type OutcomeVector = Evaluation["outcomes"];

/** Which answers of flags belong into an answer to a client. */
export type IsShown = (outcome: Outcome) => boolean;

/** In how many ways a stretch may come out. Longer pieces take more memory, and no less time. */
const MAX_COMBINATIONS = 4;

/**
 * What is where in the mark of a piece, in words: its address, its length, and what it does to the
 * entity tag. pieces.wat reads it.
 */
const ADDRESS = 0;
const BYTE_LENGTH = 1;
const FACTOR = 2;
const HIGH = 3;
const LOW = 4;
const MARK_LENGTH = 5;
const MARK_BYTES = MARK_LENGTH * WORD_BYTES;

/**
 * The flags of a snapshot, cut into stretches: a few flags in a row, which come out in one of a few
 * ways. The piece for each way is put together when it is needed first, and then serves every answer
 * that it is part of. This is a hot path: what is gone through for each answer is laid out as numbers
 * in a row, since pieces are many, and few of them are at hand in the processor.
 */
export class StretchTable {
  readonly #stretches: readonly Stretch[];
  readonly #isShown: IsShown;
  readonly #store = new PieceStore();
  readonly #records: Region;
  readonly #marks: Int32Array;
  /** Where the marks begin, in words. */
  readonly #marksStart: number;

  constructor(flags: readonly FlagFragments[], isShown: IsShown) {
    this.#stretches = cutIntoStretches(flags);
    this.#isShown = isShown;
    const pieceCount = this.#stretches.reduce((sum, { ways }) => sum + ways, 0);
    const marks = this.#store.take(pieceCount * MARK_BYTES);
    this.#marks = pieceMemory.wordsOf(marks, pieceCount * MARK_LENGTH).fill(NOWHERE);
    this.#marksStart = marks.start / WORD_BYTES;
    const records = toRecords(this.#stretches, marks.start);
    const region = this.#store.take(records.length * WORD_BYTES);
    pieceMemory.wordsOf(region, records.length).set(records);
    this.#records = { start: region.start, end: region.start + records.length * WORD_BYTES };
  }

  /** The pieces for these outcomes. */
  pieces(outcomes: OutcomeVector): GatheredPieces {
    let choice = this.#choose(outcomes);
    if (choice.missingCount > 0) {
      for (const [stretch, piece] of choice.list.entries()) {
        if (piece < 0) this.#put(stretch, -piece - this.#marksStart, outcomes);
      }
      choice = this.#choose(outcomes);
    }
    return new GatheredPieces(this.#store, choice);
  }

  #choose(outcomes: OutcomeVector): Choice {
    return assembly.choose(this.#records, this.#stretches.length, outcomes);
  }

  /**
   * Puts a piece together, and notes it in its mark. It makes no difference to an answer what is in
   * one piece.
   */
  #put(stretch: number, mark: number, outcomes: OutcomeVector): void {
    const shown = this.#shownOf(stretch, outcomes);
    const byteLength = byteLengthOf(shown);
    const { factor, high, low } = joinMarks(shown);
    const marks = this.#marks;
    marks[mark + ADDRESS] = this.#store.put(shown, byteLength);
    marks[mark + BYTE_LENGTH] = byteLength;
    marks[mark + FACTOR] = factor;
    marks[mark + HIGH] = high;
    marks[mark + LOW] = low;
  }

  #shownOf(stretch: number, outcomes: OutcomeVector): readonly Fragment[] {
    const shown: Fragment[] = [];
    for (const flag of this.#stretches[stretch]?.flags ?? []) {
      const { constantOutcome, outcomes: ways } = flag.feature;
      const position = constantOutcome ?? outcomes[flag.index] ?? 0;
      const outcome = ways[position];
      if (outcome !== undefined && this.#isShown(outcome)) shown.push(flag.fragment(position));
    }
    return shown;
  }
}

interface Stretch {
  readonly flags: FlagFragments[];
  /** In how many ways it may come out, each of which has a piece. */
  ways: number;
}

function cutIntoStretches(flags: readonly FlagFragments[]): readonly Stretch[] {
  let last: Stretch = { flags: [], ways: 1 };
  const stretches = [last];
  for (const flag of flags) {
    const ways = waysOf(flag);
    if (last.ways * ways > MAX_COMBINATIONS && last.flags.length > 0) {
      last = { flags: [], ways: 1 };
      stretches.push(last);
    }
    last.flags.push(flag);
    last.ways *= ways;
  }
  return stretches;
}

/**
 * A record for each stretch, in words and all in bytes, as pieces.wat reads it: where the mark is of
 * its first piece, and how long the rest of the record is. That is, of each flag that depends on the
 * context, where its outcome is in the vector, and by how much its next outcome changes the mark.
 */
function toRecords(stretches: readonly Stretch[], marksStart: number): readonly number[] {
  const records: number[] = [];
  let mark = marksStart;
  for (const { flags, ways } of stretches) {
    const variable = flags.filter(isVariable);
    records.push(mark, variable.length * 2 * WORD_BYTES);
    let step = MARK_BYTES;
    for (const flag of variable) {
      records.push(flag.index * WORD_BYTES, step);
      step *= waysOf(flag);
    }
    mark += ways * MARK_BYTES;
  }
  return records;
}

/** Whether how a flag comes out depends on the context. */
function isVariable({ feature }: FlagFragments): boolean {
  return feature.constantOutcome === undefined;
}

function waysOf(flag: FlagFragments): number {
  return isVariable(flag) ? flag.feature.outcomes.length : 1;
}
