import { createHashPrefix, cutIntoBlocks, hashAfter, hashBlocks } from "./murmur3.ts";
import type { HashBlocks, HashPrefix } from "./murmur3.ts";

/** Seed of rollouts. */
export const ROLLOUT_SEED = 0;
/** Seed of variants: another one, so that a partial rollout does not skew the variants within. */
export const VARIANT_SEED = 86028157;

/** A way to put ids into the buckets 1 to `size`; the text hashed is `group:id`. */
export interface Bucketing {
  readonly group: string;
  readonly size: number;
  readonly seed: number;
}

/** The bucket of an id: always the same one. */
export function bucketOf(id: string, { group, size, seed }: Bucketing): number {
  return toBucket(hashAfter(createHashPrefix(`${group}:`, seed), id), size);
}

/** Bucketings that ids of one kind go through. */
export class BucketTable {
  readonly #bucketings: { readonly prefix: HashPrefix; readonly size: number }[] = [];

  /** Adds a bucketing and returns its position. */
  add({ group, size, seed }: Bucketing): number {
    return this.#bucketings.push({ prefix: createHashPrefix(`${group}:`, seed), size }) - 1;
  }

  /** The bucket of an id by the bucketing at a position; 0 for no id. */
  bucketOf(id: string | null, position: number): number {
    const bucketing = this.#bucketings[position];
    if (!id || bucketing === undefined) return 0;
    return toBucket(hashAfter(bucketing.prefix, id), bucketing.size);
  }

  /** The buckets of an id by all bucketings, by their positions; 0 for no id. */
  bucketsOf(id: string | null): readonly number[] {
    if (!id) return this.#bucketings.map(() => 0);
    const cuts: HashBlocks[] = [];
    return this.#bucketings.map(({ prefix, size }) => {
      const blocks = (cuts[prefix.pendingBits] ??= cutIntoBlocks(id, prefix.pendingBits));
      return toBucket(hashBlocks(prefix, blocks), size);
    });
  }
}

/** NOTE: the two sizes that nearly all have are written out, as constants divide much faster. */
function toBucket(hash: number, size: number): number {
  if (size === 100) return (hash % 100) + 1;
  if (size === 1000) return (hash % 1000) + 1;
  return (hash % size) + 1;
}
