import type { Predicate } from "../evaluate/condition.ts";
import { Split } from "../evaluate/rollout.ts";
import { ROLLOUT_SEED, bucketOf } from "../hash/bucket.ts";
import type { ContextFields } from "../evaluate/context-fields.ts";
import type { EvaluationRequest, Slot } from "../evaluate/evaluation-request.ts";

/** Ids are put into a hundred buckets; a share of n percent takes the first n of them. */
const BUCKETS = 100;

/** A share of the ids of one kind. */
export interface Share {
  readonly id: Slot<string | null>;
  /** Out of a hundred. */
  readonly percentage: number;
}

/** Holds for the ids that fall into the first buckets of the group; absent ids never do. */
export function isInShare(
  { id, percentage }: Share,
  group: string,
  fields: ContextFields,
): Predicate {
  const idBucket = fields.bucket(id, { group, size: BUCKETS, seed: ROLLOUT_SEED });
  const steps = [
    { lastBucket: 0, outcome: 0 },
    { lastBucket: percentage, outcome: 1 },
  ];
  const split = new Split({ idBucket, steps, otherwise: 0 });
  return Object.assign((request: EvaluationRequest) => split.decide(request) === 1, {
    target: { lists: [], share: split },
  });
}

/** The same for a group that the context names; without a name the group is the empty text. */
export function isInShareOfNamedGroup(
  { id, percentage }: Share,
  groupName: Slot<string | null>,
): Predicate {
  return (request) => {
    const text = request.read(id);
    if (!text) return false;
    const group = request.read(groupName) ?? "";
    return bucketOf(text, { group, size: BUCKETS, seed: ROLLOUT_SEED }) <= percentage;
  };
}
