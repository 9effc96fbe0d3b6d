import type { Outcome } from "flags-engine";
import type { FlagFragments } from "./flag-fragments.ts";
import { START_HIGH, START_LOW, byteLengthOf, joinMarks, type Fragment } from "./fragment.ts";
import { GatheredPieces } from "./pieces/gathered-pieces.ts";
import { NOWHERE } from "./pieces/piece-memory.ts";
import { PieceStore } from "./pieces/piece-store.ts";

/** One outcome index for each flag of a snapshot. */
export type OutcomeVector = readonly number[];

/** Which answers of flags belong into an answer to a client. */
export type IsShown = (outcome: Outcome) => boolean;

/**
 * In how many ways a stretch may come out. With more, an answer has fewer pieces, and there are
 * more pieces to keep in memory.
 */
const MAX_COMBINATIONS = 32;

/** With more flags that depend on the context, longer pieces cost memory and gain nothing. */
const MANY_FLAGS = 2000;
const MAX_COMBINATIONS_OF_MANY = 4;

/** What is where in the record of a stretch. Behind it come its flags that depend on the context. */
const FIRST_PIECE = 0;
const FLAG_COUNT = 1;
const HEAD_LENGTH = 2;
/** Of each such flag: its index, and by how many pieces its next outcome is away. */
const INDEX = 0;
const STEP = 1;
const FLAG_LENGTH = 2;

/** What is where in the mark of a piece: where it is, its length, and what it does to the entity tag. */
const ADDRESS = 0;
const BYTE_LENGTH = 1;
const FACTOR = 2;
const HIGH = 3;
const LOW = 4;
const MARK_LENGTH = 5;

/**
 * The flags of a snapshot, cut into stretches: a few flags in a row, which come out in one of a few
 * ways. The piece for each way is put together when it is needed first, and then serves every answer
 * that it is part of. This is a hot path: what is gone through for each answer is laid out as numbers
 * in a row, since pieces are many, and few of them are at hand in the processor.
 */
export class StretchTable {
  readonly #stretches: readonly (readonly FlagFragments[])[];
  readonly #isShown: IsShown;
  readonly #records: Int32Array;
  readonly #marks: Int32Array;
  readonly #store = new PieceStore();

  constructor(flags: readonly FlagFragments[], isShown: IsShown) {
    this.#stretches = cutIntoStretches(flags);
    this.#isShown = isShown;
    const { records, pieceCount } = toRecords(this.#stretches);
    this.#records = records;
    this.#marks = new Int32Array(pieceCount * MARK_LENGTH);
  }

  /** The pieces for these outcomes. */
  pieces(outcomes: OutcomeVector): GatheredPieces {
    const [records, marks] = [this.#records, this.#marks];
    const count = this.#stretches.length;
    // oxlint-disable-next-line unicorn/no-new-array -- in its size at once: to grow, it is copied
    const addresses = new Array<number>(count);
    let [byteLength, high, low] = [0, START_HIGH, START_LOW];
    let at = 0;
    for (let stretch = 0; stretch < count; stretch++) {
      const piece = pieceAt(records, at, outcomes);
      at = endOf(records, at);
      const mark = piece * MARK_LENGTH;
      if (marks[mark + ADDRESS] === NOWHERE) this.#put(stretch, piece, outcomes);
      addresses[stretch] = marks[mark + ADDRESS] ?? NOWHERE;
      const factor = marks[mark + FACTOR] ?? 0;
      byteLength += marks[mark + BYTE_LENGTH] ?? 0;
      high = (Math.imul(high, factor) + (marks[mark + HIGH] ?? 0)) | 0;
      low = (Math.imul(low, factor) + (marks[mark + LOW] ?? 0)) | 0;
    }
    return new GatheredPieces(this.#store, { addresses, byteLength, high, low });
  }

  /** Puts a piece together, and notes it. It makes no difference to an answer what is in one piece. */
  #put(stretch: number, piece: number, outcomes: OutcomeVector): void {
    const shown = this.#shownOf(stretch, outcomes);
    const byteLength = byteLengthOf(shown);
    const { factor, high, low } = joinMarks(shown);
    const mark = piece * MARK_LENGTH;
    const marks = this.#marks;
    marks[mark + ADDRESS] = this.#store.put(shown, byteLength);
    marks[mark + BYTE_LENGTH] = byteLength;
    marks[mark + FACTOR] = factor;
    marks[mark + HIGH] = high;
    marks[mark + LOW] = low;
  }

  #shownOf(stretch: number, outcomes: OutcomeVector): readonly Fragment[] {
    const shown: Fragment[] = [];
    for (const flag of this.#stretches[stretch] ?? []) {
      const { constantOutcome, outcomes: ways } = flag.feature;
      const position = constantOutcome ?? outcomes[flag.index] ?? 0;
      const outcome = ways[position];
      if (outcome !== undefined && this.#isShown(outcome)) shown.push(flag.fragment(position));
    }
    return shown;
  }
}

/** The position of the piece of a stretch whose record begins there. */
function pieceAt(records: Int32Array, start: number, outcomes: OutcomeVector): number {
  const end = endOf(records, start);
  let piece = records[start + FIRST_PIECE] ?? 0;
  for (let flag = start + HEAD_LENGTH; flag < end; flag += FLAG_LENGTH) {
    piece += (outcomes[records[flag + INDEX] ?? 0] ?? 0) * (records[flag + STEP] ?? 0);
  }
  return piece;
}

/** Where the record behind it begins. */
function endOf(records: Int32Array, start: number): number {
  return start + HEAD_LENGTH + (records[start + FLAG_COUNT] ?? 0) * FLAG_LENGTH;
}

function cutIntoStretches(flags: readonly FlagFragments[]): readonly (readonly FlagFragments[])[] {
  const isMany = flags.filter(isVariable).length > MANY_FLAGS;
  const limit = isMany ? MAX_COMBINATIONS_OF_MANY : MAX_COMBINATIONS;
  const stretches: FlagFragments[][] = [];
  let stretch: FlagFragments[] = [];
  let combinations = 1;
  for (const flag of flags) {
    const ways = isVariable(flag) ? waysOf(flag) : 1;
    if (combinations * ways > limit && stretch.length > 0) {
      stretches.push(stretch);
      stretch = [];
      combinations = 1;
    }
    stretch.push(flag);
    combinations *= ways;
  }
  return [...stretches, stretch];
}

function toRecords(stretches: readonly (readonly FlagFragments[])[]) {
  const records: number[] = [];
  let pieceCount = 0;
  for (const stretch of stretches) {
    const variable = stretch.filter(isVariable);
    records.push(pieceCount, variable.length);
    let ways = 1;
    for (const flag of variable) {
      records.push(flag.index, ways);
      ways *= waysOf(flag);
    }
    pieceCount += ways;
  }
  // NOTE: not `from()`, which takes five times as long, and a table is made in one go.
  return { records: new Int32Array(records), pieceCount };
}

/** Whether how a flag comes out depends on the context. */
function isVariable({ feature }: FlagFragments): boolean {
  return feature.constantOutcome === undefined;
}

function waysOf({ feature }: FlagFragments): number {
  return feature.outcomes.length;
}
