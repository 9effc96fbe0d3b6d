import { toBucket } from "../hash/bucket.ts";
import { hashBlocks, type HashBlocks } from "../hash/murmur3.ts";
import type { EvaluationRequest, Slot } from "../request/evaluation-request.ts";
import type { Split } from "./split.ts";

/** An id, cut as the prefixes of a table want it. */
type Blocks = Slot<HashBlocks | null>;

/** A flag that is a split. */
export interface SplitFlag {
  readonly index: number;
  readonly split: Split;
}

/** What is where in the record of a flag. Behind it come the last buckets, then the outcomes. */
const INDEX = 0;
const STATE = 1;
const PENDING = 2;
const LENGTH = 3;
const SIZE = 4;
const STEP_COUNT = 5;
const HEAD_LENGTH = 6;

/** No bucket is behind this one. */
const LAST_BUCKET = 2 ** 31 - 1;

/**
 * Flags that are splits by the same id, laid out as numbers in a row. This is a hot path, and most
 * of what context-dependent flags cost: going through a thousand of them must touch little memory,
 * and all of it in order, and must not branch on what is as good as random.
 */
export class SplitTable {
  readonly #blocks: Blocks;
  readonly #records: Int32Array;

  constructor(blocks: Blocks, flags: readonly SplitFlag[]) {
    this.#blocks = blocks;
    // NOTE: not `from()`, which takes five times as long, and a table is made in one go.
    this.#records = new Int32Array(flags.flatMap(toRecord));
  }

  /** Writes the outcomes of all its flags to their places. */
  decide(request: EvaluationRequest, outcomes: Int32Array): void {
    const blocks = request.read(this.#blocks);
    if (blocks === null) this.#decideWithoutId(outcomes);
    else this.#decideFor(blocks, outcomes);
  }

  /**
   * NOTE: `| 0` promises a whole number of 32 bits, which V8 would else make sure of at each flag. For
   * the same reason, what is known of the id is read before the loop, and not in it.
   */
  #decideFor(
    { first, completesFirst, whole, tail, length }: HashBlocks,
    outcomes: Int32Array,
  ): void {
    const blocks = { first: first | 0, completesFirst, whole, tail: tail | 0, length: length | 0 };
    const records = this.#records;
    let at = 0;
    while (at < records.length) {
      const bucket = bucketAt(records, at, blocks);
      const steps = (at + HEAD_LENGTH) | 0;
      const end = (steps + (records[(at + STEP_COUNT) | 0] ?? 0)) | 0;
      let chosen = end;
      for (let step = steps; step < end; step = (step + 1) | 0) {
        chosen = (chosen + Number((records[step] ?? 0) < bucket)) | 0;
      }
      outcomes[records[(at + INDEX) | 0] ?? 0] = records[chosen] ?? 0;
      at = (end + ((end - steps) | 0) + 1) | 0;
    }
  }

  /** Without an id there is no bucket, and the first outcome it is. */
  #decideWithoutId(outcomes: Int32Array): void {
    const records = this.#records;
    let at = 0;
    while (at < records.length) {
      const stepCount = records[at + STEP_COUNT] ?? 0;
      const first = at + HEAD_LENGTH + stepCount;
      outcomes[records[at + INDEX] ?? 0] = records[first] ?? 0;
      at = first + stepCount + 1;
    }
  }
}

function bucketAt(records: Int32Array, at: number, blocks: HashBlocks): number {
  // NOTE: made where it is used, the object costs nothing: it never comes to be.
  const prefix = {
    state: records[(at + STATE) | 0] ?? 0,
    pending: records[(at + PENDING) | 0] ?? 0,
    length: records[(at + LENGTH) | 0] ?? 0,
  };
  return toBucket(hashBlocks(prefix, blocks), records[(at + SIZE) | 0] ?? 0);
}

function toRecord({ index, split }: SplitFlag): readonly number[] {
  const { prefix, size } = split.idBucket;
  const { state, pending, length } = prefix;
  const head = [index, state, pending, length, size, split.steps.length];
  const outcomes = split.steps.map(({ outcome }) => outcome);
  return [...head, ...lastBucketsOf(split), ...outcomes, split.otherwise];
}

/** The last bucket of each step, from the lowest to the highest, in whole numbers. */
function lastBucketsOf({ steps }: Split): readonly number[] {
  let reached = 0;
  return steps.map(({ lastBucket }) => {
    // NOTE: a step that ends before another one has no buckets, as with a negative weight.
    reached = Math.max(reached, Math.min(Math.floor(lastBucket), LAST_BUCKET));
    return reached;
  });
}

/** Lays out splits, those by the same id in the same table. */
export function toSplitTables(flags: Iterable<SplitFlag>): readonly SplitTable[] {
  const tables = new Map<Blocks, SplitFlag[]>();
  for (const flag of flags) {
    const { blocks } = flag.split.idBucket;
    const table = tables.get(blocks) ?? [];
    table.push(flag);
    tables.set(blocks, table);
  }
  return [...tables].map(([blocks, table]) => new SplitTable(blocks, table));
}
