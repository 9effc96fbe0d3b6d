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

/**
 * Flags that are splits by the same id, laid out as numbers in a row. This is a hot path, and most
 * of what context-dependent flags cost: going through a thousand of them must touch little memory,
 * and must not branch on what is as good as random.
 */
export class SplitTable {
  readonly #blocks: Blocks;
  /** For each flag: its place among the outcomes, its prefix, and the number of its buckets. */
  readonly #indexes: Int32Array;
  readonly #states: Int32Array;
  readonly #pendings: Int32Array;
  readonly #lengths: Int32Array;
  readonly #sizes: Float64Array;
  /** For each flag, and behind the last one: where its steps begin. */
  readonly #starts: Int32Array;
  /** For each step, the one behind the last included: the last bucket, and the outcome. */
  readonly #lastBuckets: Float64Array;
  readonly #outcomes: Int32Array;

  constructor(blocks: Blocks, flags: readonly SplitFlag[]) {
    const prefixes = flags.map(({ split }) => split.idBucket.prefix);
    const steps = flags.map(({ split }) => stepsOf(split));
    const allSteps = steps.flat();
    let start = 0;
    this.#blocks = blocks;
    // NOTE: not `from()`, which takes five times as long, and a table is made in one go.
    this.#indexes = new Int32Array(flags.map(({ index }) => index));
    this.#states = new Int32Array(prefixes.map(({ state }) => state));
    this.#pendings = new Int32Array(prefixes.map(({ pending }) => pending));
    this.#lengths = new Int32Array(prefixes.map(({ length }) => length));
    this.#sizes = new Float64Array(flags.map(({ split }) => split.idBucket.size));
    this.#starts = new Int32Array([0, ...steps.map(({ length }) => (start += length))]);
    this.#lastBuckets = new Float64Array(allSteps.map(({ lastBucket }) => lastBucket));
    this.#outcomes = new Int32Array(allSteps.map(({ outcome }) => outcome));
  }

  /** Writes the outcomes of all its flags to their places. */
  decide(request: EvaluationRequest, outcomes: number[]): void {
    const blocks = request.read(this.#blocks);
    const [indexes, starts, lastBuckets] = [this.#indexes, this.#starts, this.#lastBuckets];
    for (let flag = 0; flag < indexes.length; flag++) {
      const bucket = blocks === null ? 0 : this.#bucketOf(flag, blocks);
      const start = starts[flag] ?? 0;
      const last = (starts[flag + 1] ?? 0) - 1;
      let step = start;
      for (let i = start; i < last; i++) step += Number((lastBuckets[i] ?? 0) < bucket);
      outcomes[indexes[flag] ?? 0] = this.#outcomes[step] ?? 0;
    }
  }

  #bucketOf(flag: number, blocks: HashBlocks): number {
    // NOTE: made where it is used, the object costs nothing: it never comes to be.
    const prefix = {
      state: this.#states[flag] ?? 0,
      pending: this.#pendings[flag] ?? 0,
      length: this.#lengths[flag] ?? 0,
    };
    return toBucket(hashBlocks(prefix, blocks), this.#sizes[flag] ?? 1);
  }
}

/** From the lowest bucket to the highest, the outcome behind the last step included. */
function stepsOf({ steps, otherwise }: Split): Split["steps"] {
  let reached = 0;
  const ascending = steps.map(({ lastBucket, outcome }) => {
    // NOTE: a step that ends before another one has no buckets, as with a negative weight.
    reached = Math.max(reached, lastBucket);
    return { lastBucket: reached, outcome };
  });
  return [...ascending, { lastBucket: Number.POSITIVE_INFINITY, outcome: otherwise }];
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
