import type { EvaluationRequest, Slot } from "../request/evaluation-request.ts";
import type { Split } from "./split.ts";

/** The buckets of one id, by position. */
type Buckets = Slot<readonly number[]>;

/**
 * Flags that are splits by the same id, laid out as numbers in a row. This is a hot path, and most
 * of what context-dependent flags cost: going through a thousand of them must touch little memory,
 * and must not branch on what is as good as random.
 */
export class SplitTable {
  readonly #buckets: Buckets;
  /** For each flag: its place among the outcomes, and the position of its bucket. */
  readonly #indexes: number[] = [];
  readonly #positions: number[] = [];
  /** For each flag, and behind the last one: where its steps begin. */
  readonly #starts: number[] = [0];
  /** For each step, the one behind the last included: the last bucket, and the outcome. */
  readonly #lastBuckets: number[] = [];
  readonly #outcomes: number[] = [];

  constructor(buckets: Buckets) {
    this.#buckets = buckets;
  }

  /** Adds the flag at an index. */
  add(index: number, { idBucket, steps, otherwise }: Split): void {
    this.#indexes.push(index);
    this.#positions.push(idBucket.position);
    let reached = 0;
    for (const { lastBucket, outcome } of steps) {
      // NOTE: a step that ends before another one has no buckets, as with a negative weight.
      reached = Math.max(reached, lastBucket);
      this.#lastBuckets.push(reached);
      this.#outcomes.push(outcome);
    }
    this.#lastBuckets.push(Number.POSITIVE_INFINITY);
    this.#outcomes.push(otherwise);
    this.#starts.push(this.#outcomes.length);
  }

  /** Writes the outcomes of all its flags to their places. */
  decide(request: EvaluationRequest, outcomes: number[]): void {
    const buckets = request.read(this.#buckets);
    const [indexes, positions, starts] = [this.#indexes, this.#positions, this.#starts];
    const lastBuckets = this.#lastBuckets;
    for (let flag = 0; flag < indexes.length; flag++) {
      const bucket = buckets[positions[flag] ?? 0] ?? 0;
      const start = starts[flag] ?? 0;
      const last = (starts[flag + 1] ?? 0) - 1;
      let step = start;
      for (let i = start; i < last; i++) step += Number((lastBuckets[i] ?? 0) < bucket);
      outcomes[indexes[flag] ?? 0] = this.#outcomes[step] ?? 0;
    }
  }
}

/** Lays out splits, those by the same id in the same table. */
export function toSplitTables(
  splits: Iterable<{ readonly index: number; readonly split: Split }>,
): readonly SplitTable[] {
  const tables = new Map<Buckets, SplitTable>();
  for (const { index, split } of splits) {
    const { all } = split.idBucket;
    const table = tables.get(all) ?? new SplitTable(all);
    table.add(index, split);
    tables.set(all, table);
  }
  return [...tables.values()];
}
