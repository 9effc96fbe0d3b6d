import type { BucketTable } from "../hash/bucket.ts";
import type { EvaluationRequest, Slot } from "./evaluation-request.ts";

interface IdBucketParts {
  readonly id: Slot<string | null>;
  readonly table: BucketTable;
  /** The buckets of the id by all bucketings of the table. */
  readonly all: Slot<readonly number[]>;
  /** The bucketing that is meant. */
  readonly position: number;
}

/**
 * The bucket that an id falls into; 0 when it is absent or empty. When all flags are evaluated, the
 * buckets of all rules that go by the same id are worked out in one go.
 */
export class IdBucket {
  readonly #id: Slot<string | null>;
  readonly #table: BucketTable;
  readonly all: Slot<readonly number[]>;
  readonly position: number;

  constructor({ id, table, all, position }: IdBucketParts) {
    this.#id = id;
    this.#table = table;
    this.all = all;
    this.position = position;
  }

  read(request: EvaluationRequest): number {
    if (request.isOfAllFlags) return request.read(this.all)[this.position] ?? 0;
    return this.#table.bucketOf(request.read(this.#id), this.position);
  }
}
