import type { EvaluationRequest } from "./evaluation-request.ts";
import type { IdBucket } from "./id-bucket.ts";

/** An outcome, and the last of the buckets that come to it. */
export interface SplitStep {
  readonly lastBucket: number;
  readonly outcome: number;
}

interface SplitParts {
  readonly idBucket: IdBucket;
  /** From the lowest bucket to the highest. */
  readonly steps: readonly SplitStep[];
  /** The outcome behind the last step. */
  readonly otherwise: number;
}

/**
 * An outcome that goes by the bucket of an id and by nothing else: a share, or variants by weight.
 * Most flags that depend on the context come down to one of these.
 */
export class Split {
  readonly idBucket: IdBucket;
  readonly steps: readonly SplitStep[];
  readonly otherwise: number;

  constructor({ idBucket, steps, otherwise }: SplitParts) {
    this.idBucket = idBucket;
    this.steps = steps;
    this.otherwise = otherwise;
  }

  decide(request: EvaluationRequest): number {
    const bucket = this.idBucket.read(request);
    // NOTE: written so that an unusable weight (NaN) selects as the official SDK does.
    for (const { lastBucket, outcome } of this.steps) if (!(lastBucket < bucket)) return outcome;
    return this.otherwise;
  }

  /** The same split with other outcomes. */
  map(toOutcome: (outcome: number) => number): Split {
    const steps = this.steps.map(({ lastBucket, outcome }) => ({
      lastBucket,
      outcome: toOutcome(outcome),
    }));
    return new Split({ idBucket: this.idBucket, steps, otherwise: toOutcome(this.otherwise) });
  }
}
