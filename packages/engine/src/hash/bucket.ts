import { createHashPrefix, hashAfter } from "../hash.ts";

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

/** The bucket that a hash falls into. */
export function toBucket(hash: number, size: number): number {
  return (hash % size) + 1;
}
