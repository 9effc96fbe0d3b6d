import { createHashPrefix, hashAfter } from "./murmur3.ts";

/** Seed of rollouts. */
export const ROLLOUT_SEED = 0;
/** Seed of variants: another one, so that a partial rollout does not skew the variants within. */
export const VARIANT_SEED = 86028157;

/** Puts an id into one of the buckets 1 to `size`, always the same one for the same group. */
export type Bucketing = (id: string) => number;

/** Prepares the buckets of one group; the text hashed is `group:id`. */
export function createBucketing(group: string, size: number, seed: number): Bucketing {
  const prefix = createHashPrefix(`${group}:`, seed);
  return (id) => (hashAfter(prefix, id) % size) + 1;
}
