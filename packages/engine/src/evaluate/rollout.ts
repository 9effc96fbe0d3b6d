import { hashBlocks, toBucket } from "../hash.ts";
import type { HashBlocks, HashPrefix } from "../hash.ts";
import type { EvaluationRequest, Slot } from "./evaluation-request.ts";

/** The bucket that an id of the context is assigned to. */
export interface IdBucket {
  /** The id in blocks that are aligned to the prefix; null if it is absent or empty. */
  readonly blocks: Slot<HashBlocks | null>;
  readonly prefix: HashPrefix;
  readonly size: number;
}

/** Returns the bucket, from 1 to the number of buckets; 0 without an id. */
function bucketIn(
  blocks: HashBlocks | null,
  { prefix, size }: Pick<IdBucket, "prefix" | "size">,
): number {
  return blocks === null ? 0 : toBucket(hashBlocks(prefix, blocks), size);
}

/** The outcome of the buckets up to `lastBucket` that no previous range contains. */
export interface BucketRange {
  readonly lastBucket: number;
  readonly outcome: number;
}

/**
 * An outcome that depends only on the bucket of an id: a percentage of the ids, or variants by
 * weight. Most flags that depend on the context compile to a rollout.
 */
export class Rollout {
  readonly idBucket: IdBucket;
  readonly ranges: readonly BucketRange[];
  readonly otherwise: number;

  constructor(idBucket: IdBucket, ranges: readonly BucketRange[], otherwise: number) {
    this.idBucket = idBucket;
    this.ranges = ranges;
    this.otherwise = otherwise;
  }

  evaluate(request: EvaluationRequest): number {
    return outcomeOf(bucketIn(request.read(this.idBucket.blocks), this.idBucket), this);
  }

  map(toOutcome: (outcome: number) => number): Rollout {
    const ranges = this.ranges.map(({ lastBucket, outcome }) => ({
      lastBucket,
      outcome: toOutcome(outcome),
    }));
    return new Rollout(this.idBucket, ranges, toOutcome(this.otherwise));
  }
}

function outcomeOf(
  bucket: number,
  { ranges, otherwise }: Pick<Rollout, "ranges" | "otherwise">,
): number {
  // NOTE: `!(a < b)` instead of `a >= b`, so that an invalid weight (NaN) selects the same variant
  // as in the official SDK.
  for (const { lastBucket, outcome } of ranges) if (!(lastBucket < bucket)) return outcome;
  return otherwise;
}

/** An outcome that is the same for every request, or depends only on a bucket. */
export type FixedOrRollout = number | Rollout;

export function resolveRollout(outcome: FixedOrRollout, request: EvaluationRequest): number {
  return typeof outcome === "number" ? outcome : outcome.evaluate(request);
}

interface RolloutFlag
  extends Pick<Rollout, "ranges" | "otherwise">, Pick<IdBucket, "prefix" | "size"> {
  readonly index: number;
}

/**
 * Flags whose outcome is a rollout. This is a hot path: flags that hash the same id are evaluated together, and each is one
 * object, because finding its parts in memory takes longer than the hash.
 */
export class RolloutTable {
  readonly #flagsByBlocks = new Map<IdBucket["blocks"], RolloutFlag[]>();

  add(index: number, { idBucket, ranges, otherwise }: Rollout): void {
    const { blocks, prefix, size } = idBucket;
    const flags = this.#flagsByBlocks.get(blocks) ?? [];
    flags.push({ index, prefix, size, ranges, otherwise });
    this.#flagsByBlocks.set(blocks, flags);
  }

  evaluate(request: EvaluationRequest, outcomes: Int32Array): void {
    for (const [slot, flags] of this.#flagsByBlocks) {
      const blocks = request.read(slot);
      for (const flag of flags) outcomes[flag.index] = outcomeOf(bucketIn(blocks, flag), flag);
    }
  }
}
