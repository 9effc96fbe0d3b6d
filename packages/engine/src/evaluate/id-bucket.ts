import { toBucket } from "../hash/bucket.ts";
import { hashBlocks, type HashBlocks, type HashPrefix } from "../hash.ts";
import type { EvaluationRequest, Slot } from "./evaluation-request.ts";

interface IdBucketParts {
  /** The id, cut as the prefix wants it; null when it is absent or empty. */
  readonly blocks: Slot<HashBlocks | null>;
  readonly prefix: HashPrefix;
  /** How many buckets there are. */
  readonly size: number;
}

/** The bucket that an id falls into; 0 when it is absent or empty. */
export class IdBucket {
  readonly blocks: Slot<HashBlocks | null>;
  readonly prefix: HashPrefix;
  readonly size: number;

  constructor({ blocks, prefix, size }: IdBucketParts) {
    this.blocks = blocks;
    this.prefix = prefix;
    this.size = size;
  }

  read(request: EvaluationRequest): number {
    const blocks = request.read(this.blocks);
    return blocks === null ? 0 : toBucket(hashBlocks(this.prefix, blocks), this.size);
  }
}
