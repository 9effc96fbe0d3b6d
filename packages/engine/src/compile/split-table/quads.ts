import type { IdBucket } from "../../request/id-bucket.ts";
import type { Steps } from "../../steps.ts";
import type { Split } from "../split.ts";

/** How many splits are decided at a time: those of a quad. */
export const LANES = 4;

/** The quads of a table, of which a memory has a copy, or gets one when it needs it. */
export class Quads {
  readonly words: Int32Array;
  readonly laneCount: number;
  /** Where the copy is, in words. It is there as long as the memory is of this generation. */
  start = 0;
  generation: object | undefined;

  constructor(words: Int32Array, laneCount: number) {
    this.words = words;
    this.laneCount = laneCount;
  }
}

/**
 * What is in the rows of a quad, which quads.wat reads. A row has a word for each lane. Before these
 * rows there is one with the number of buckets and that of ranges. Behind them are the ranges: for
 * each, a row of starts and a row of outcomes.
 */
const STATES = 1 * LANES;
const PENDING = 2 * LANES;
const LENGTHS = 3 * LANES;
const RANGES = 4 * LANES;
const RANGE_LENGTH = 2 * LANES;

/** Splits that are decided together. */
interface Quad {
  readonly lanes: readonly Lane[];
  /** In the lane that has most. */
  readonly rangeCount: number;
}

/** A split, for those who have an id. */
interface Lane {
  readonly idBucket: IdBucket;
  readonly ranges: readonly Range[];
}

/** Buckets that come to one outcome: from this one, counted from 0, to the start of the next range. */
interface Range {
  readonly start: number;
  readonly outcome: number;
}

/** No bucket is there, or behind it. */
const NOWHERE = 2 ** 31 - 1;

/**
 * Lays out splits, four by four, with a pause after each few of them. The splits of one quad have the
 * same number of buckets, a whole one of 32 bits.
 */
export function* layOut(splits: readonly Split[]): Steps<Quads> {
  const quads: Quad[] = [];
  for (let first = 0; first < splits.length; first += LANES) {
    quads.push(toQuad(splits.slice(first, first + LANES)));
    yield;
  }
  const words = new Int32Array(quads.reduce((sum, quad) => sum + lengthOf(quad), 0));
  let start = 0;
  for (const quad of quads) {
    const end = start + lengthOf(quad);
    write(quad, words.subarray(start, end));
    start = end;
    yield;
  }
  return new Quads(words, splits.length);
}

function toQuad(splits: readonly Split[]): Quad {
  const lanes = splits.map(toLane);
  return { lanes, rangeCount: Math.max(...lanes.map(({ ranges }) => ranges.length)) };
}

function toLane({ idBucket, steps, otherwise }: Split): Lane {
  const ranges: Range[] = [];
  let start = 0;
  for (const { lastBucket, outcome } of steps) {
    // NOTE: written so that an unusable number (NaN) has no end, as when a split decides alone.
    const end = lastBucket < NOWHERE ? Math.floor(lastBucket) : NOWHERE;
    // A step that does not end behind the one before has no buckets, as with a negative weight.
    if (end <= start) continue;
    ranges.push({ start, outcome });
    start = end;
  }
  ranges.push({ start, outcome: otherwise });
  return { idBucket, ranges };
}

function lengthOf({ rangeCount }: Quad): number {
  return RANGES + rangeCount * RANGE_LENGTH;
}

function write({ lanes, rangeCount }: Quad, words: Int32Array): void {
  words[0] = lanes[0]?.idBucket.size ?? 0;
  words[1] = rangeCount;
  for (const [lane, { idBucket, ranges }] of lanes.entries()) {
    const { state, pending, length } = idBucket.prefix;
    words[STATES + lane] = state;
    words[PENDING + lane] = pending;
    words[LENGTHS + lane] = length;
    let position = 0;
    for (let at = RANGES + lane; at < words.length; at += RANGE_LENGTH) {
      const { start, outcome } = ranges[position++] ?? { start: NOWHERE, outcome: 0 };
      words[at] = start;
      words[at + LANES] = outcome;
    }
  }
}
