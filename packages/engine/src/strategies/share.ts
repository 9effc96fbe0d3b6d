import type { Predicate } from "../compile/condition.ts";
import { ROLLOUT_SEED, createBucketing } from "../hash/bucket.ts";
import type { Slot } from "../request/evaluation-request.ts";

/** Ids are put into a hundred buckets; a share of n percent takes the first n of them. */
const BUCKETS = 100;

/** Holds for the ids that fall into the first `share` buckets of the group; absent ids never do. */
export function isInShare(id: Slot<string | null>, group: string, share: number): Predicate {
  const bucketOf = createBucketing(group, BUCKETS, ROLLOUT_SEED);
  return (request) => {
    const text = request.read(id);
    return text !== null && text !== "" && bucketOf(text) <= share;
  };
}

/** The same for a group that the context names; without a name the group is the empty text. */
export function isInShareOfNamedGroup(
  id: Slot<string | null>,
  group: Slot<string | null>,
  share: number,
): Predicate {
  return (request) => isInShare(id, request.read(group) ?? "", share)(request);
}
