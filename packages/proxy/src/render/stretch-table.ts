import type { Outcome } from "flags-engine";
import { START_HIGH, START_LOW, joinFragments, type Pieces } from "./fragment.ts";
import type { FlagFragments } from "./flag-fragments.ts";

/** One outcome index for each flag of a snapshot. */
export type OutcomeVector = readonly number[];

/** Which answers of flags belong into an answer to a client. */
export type IsShown = (outcome: Outcome) => boolean;

/**
 * In how many ways a stretch may come out. With more, an answer has fewer pieces, and there are
 * more pieces to keep in memory.
 */
const MAX_COMBINATIONS = 32;

/** With more flags that depend on the context, the pieces would not fit a processor's cache. */
const MANY_FLAGS = 2000;
const MAX_COMBINATIONS_OF_MANY = 8;

/** So many numbers describe a piece: its length, and what it does to the entity tag. */
const MARK_SIZE = 5;

/**
 * The flags of a snapshot, cut into stretches: a few flags in a row, which come out in one of a few
 * ways. The piece for each way is put together when it is needed first, and then serves every answer
 * that it is part of. This is a hot path: what is gone through for each answer is laid out as numbers
 * in a row, since pieces are many, and few of them are at hand in the processor.
 */
export class StretchTable {
  readonly #stretches: readonly (readonly FlagFragments[])[];
  readonly #isShown: IsShown;
  /** For each flag that depends on the context: its position, and how many outcomes it has. */
  readonly #indexes: Int32Array;
  readonly #radixes: Int32Array;
  /** For each stretch: where its flags begin in these, and its pieces in those below. */
  readonly #starts: Int32Array;
  readonly #firstPieces: Int32Array;
  readonly #marks: Int32Array;
  readonly #bytes: (Buffer | undefined)[];

  constructor(flags: readonly FlagFragments[], isShown: IsShown) {
    this.#stretches = cutIntoStretches(flags);
    this.#isShown = isShown;
    const variable = this.#stretches.map((stretch) => stretch.filter(isVariable));
    const ways = variable.map((stretch) => stretch.reduce((all, flag) => all * waysOf(flag), 1));
    const pieceCount = ways.reduce((sum, count) => sum + count, 0);
    const allVariable = variable.flat();
    // NOTE: not `from()`, which takes five times as long, and a table is made in one go.
    this.#indexes = new Int32Array(allVariable.map(({ index }) => index));
    this.#radixes = new Int32Array(allVariable.map(waysOf));
    this.#starts = startsOf(variable.map(({ length }) => length));
    this.#firstPieces = startsOf(ways);
    this.#marks = new Int32Array(pieceCount * MARK_SIZE);
    this.#bytes = Array.from({ length: pieceCount });
  }

  /** The pieces for these outcomes. */
  pieces(outcomes: OutcomeVector): Pieces {
    const count = this.#starts.length;
    const marks = this.#marks;
    // oxlint-disable-next-line unicorn/no-new-array -- in its size at once: to grow, it is copied
    const bytes = new Array<Buffer>(count);
    let [byteLength, high, low] = [0, START_HIGH, START_LOW];
    for (let stretch = 0; stretch < count; stretch++) {
      const piece = this.#find(stretch, outcomes);
      bytes[stretch] = this.#bytes[piece] ?? this.#put(stretch, piece, outcomes);
      const mark = piece * MARK_SIZE;
      byteLength += marks[mark] ?? 0;
      high = (Math.imul(high, marks[mark + 1] ?? 0) + (marks[mark + 2] ?? 0)) | 0;
      low = (Math.imul(low, marks[mark + 3] ?? 0) + (marks[mark + 4] ?? 0)) | 0;
    }
    return { bytes, byteLength, high, low };
  }

  /** The position of the piece of a stretch. */
  #find(stretch: number, outcomes: OutcomeVector): number {
    const [indexes, radixes] = [this.#indexes, this.#radixes];
    const end = this.#starts[stretch + 1] ?? indexes.length;
    let combination = 0;
    for (let flag = this.#starts[stretch] ?? 0; flag < end; flag++) {
      combination = combination * (radixes[flag] ?? 0) + (outcomes[indexes[flag] ?? 0] ?? 0);
    }
    return (this.#firstPieces[stretch] ?? 0) + combination;
  }

  /** Puts a piece together, and notes it. */
  #put(stretch: number, piece: number, outcomes: OutcomeVector): Buffer {
    const shown = (this.#stretches[stretch] ?? []).flatMap((flag) => {
      const { constantOutcome, outcomes: ways } = flag.feature;
      const position = constantOutcome ?? outcomes[flag.index] ?? 0;
      const outcome = ways[position];
      return outcome !== undefined && this.#isShown(outcome) ? [flag.fragment(position)] : [];
    });
    const { bytes, high, highFactor, low, lowFactor } = joinFragments(shown);
    this.#marks.set([bytes.length, highFactor, high, lowFactor, low], piece * MARK_SIZE);
    this.#bytes[piece] = bytes;
    return bytes;
  }
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

/** Where each of some rows begins, laid one behind the other. */
function startsOf(lengths: readonly number[]): Int32Array {
  let start = 0;
  const starts = lengths.map((length) => {
    start += length;
    return start - length;
  });
  return new Int32Array(starts);
}

/** Whether how a flag comes out depends on the context. */
function isVariable({ feature }: FlagFragments): boolean {
  return feature.constantOutcome === undefined;
}

function waysOf({ feature }: FlagFragments): number {
  return feature.outcomes.length;
}
