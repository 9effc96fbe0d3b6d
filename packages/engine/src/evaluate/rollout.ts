import { hashBlocks, toBucket } from "../hash.ts";
import type { HashBlocks, HashPrefix } from "../hash.ts";
import type { EvaluationRequest, Slot } from "./evaluation-request.ts";

interface IdBucketOptions {
  /** The id in blocks that are aligned to the prefix; null if it is absent or empty. */
  readonly blocks: Slot<HashBlocks | null>;
  readonly prefix: HashPrefix;
  /** The number of buckets. */
  readonly size: number;
}

/** The bucket that an id of the context is assigned to. */
export class IdBucket {
  readonly #blocks: Slot<HashBlocks | null>;
  readonly #prefix: HashPrefix;
  readonly #size: number;

  constructor({ blocks, prefix, size }: IdBucketOptions) {
    this.#blocks = blocks;
    this.#prefix = prefix;
    this.#size = size;
  }

  /** Returns the bucket, from 1 to the number of buckets; 0 if the id is absent or empty. */
  read(request: EvaluationRequest): number {
    const blocks = request.read(this.#blocks);
    return blocks === null ? 0 : toBucket(hashBlocks(this.#prefix, blocks), this.#size);
  }
}

/** The outcome of the buckets up to `lastBucket` that no previous range contains. */
export interface BucketRange {
  readonly lastBucket: number;
  readonly outcome: number;
}

interface RolloutOptions {
  readonly idBucket: IdBucket;
  /** From the lowest bucket to the highest. */
  readonly ranges: readonly BucketRange[];
  /** The outcome of the buckets after the last range. */
  readonly otherwise: number;
}

/**
 * An outcome that depends only on the bucket of an id: a percentage of the ids, or variants by
 * weight. Most flags that depend on the context compile to a rollout.
 */
export class Rollout {
  readonly #idBucket: IdBucket;
  readonly #ranges: readonly BucketRange[];
  readonly #otherwise: number;

  constructor({ idBucket, ranges, otherwise }: RolloutOptions) {
    this.#idBucket = idBucket;
    this.#ranges = ranges;
    this.#otherwise = otherwise;
  }

  evaluate(request: EvaluationRequest): number {
    const bucket = this.#idBucket.read(request);
    // NOTE: `!(a < b)` instead of `a >= b`, so that an invalid weight (NaN) selects the same variant
    // as in the official SDK.
    for (const { lastBucket, outcome } of this.#ranges) if (!(lastBucket < bucket)) return outcome;
    return this.#otherwise;
  }

  /** Returns the same rollout with other outcomes. */
  map(toOutcome: (outcome: number) => number): Rollout {
    const ranges = this.#ranges.map(({ lastBucket, outcome }) => ({
      lastBucket,
      outcome: toOutcome(outcome),
    }));
    const otherwise = toOutcome(this.#otherwise);
    return new Rollout({ idBucket: this.#idBucket, ranges, otherwise });
  }
}

/** An outcome that is the same for every request, or depends only on a bucket. */
export type FixedOrRollout = number | Rollout;

/** Returns the outcome for a request. */
export function resolveRollout(outcome: FixedOrRollout, request: EvaluationRequest): number {
  return typeof outcome === "number" ? outcome : outcome.evaluate(request);
}
