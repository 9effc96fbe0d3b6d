import { inRollout } from "../evaluate/condition.ts";
import type { Predicate } from "../evaluate/condition.ts";
import type { ContextFields } from "../evaluate/context-fields.ts";
import type { Slot } from "../evaluate/evaluation-request.ts";
import { Rollout } from "../evaluate/rollout.ts";
import { ROLLOUT_SEED, bucketOf } from "../hash.ts";
import type { Report } from "../parse/diagnostics.ts";
import { toPercentage } from "./check-parameters.ts";
import { parameterText } from "./strategy.ts";
import type { Parameters } from "./strategy.ts";

/** The number of buckets. A rollout of n percent includes the first n of them. */
const BUCKETS = 100;

/** Returns the bucket of an id, from 1 to 100. */
export function rolloutBucket(id: string, group: string): number {
  return bucketOf(id, { group, size: BUCKETS, seed: ROLLOUT_SEED });
}

/** Returns the group with which a strategy hashes ids; undefined if it names none. */
export function fixedGroup({ groupId }: Parameters): string | undefined {
  return groupId ? parameterText(groupId) : undefined;
}

/** NOTE: as in the official SDK, the context may provide the group of a `flexibleRollout` that names none. */
export function contextGroup(fields: ContextFields): Slot<string | null> {
  return fields.topLevelTruthyText("featureToggle");
}

/** A percentage of the ids in a field of the context. */
export interface IdPercentage {
  readonly id: Slot<string | null>;
  /** A whole number from 0 to 100. */
  readonly percentage: number;
}

/** Parses a percentage. Returns a whole number from 0 to 100; 0, after a report, if it is missing or invalid. */
export function parsePercentage(parameters: Parameters, name: string, report: Report): number {
  const percentage = toPercentage(parameters[name]);
  if (Number.isNaN(percentage)) report(`${name} must be a number: the strategy never matches`);
  return percentage || 0;
}

/** Holds for ids that the group assigns to the first buckets. Never holds for an absent id. */
export function inPercentage(
  { id, percentage }: IdPercentage,
  group: string,
  fields: ContextFields,
): Predicate {
  const idBucket = fields.bucket(id, { group, size: BUCKETS, seed: ROLLOUT_SEED });
  const ranges = [
    // The bucket of an absent id.
    { lastBucket: 0, outcome: 0 },
    { lastBucket: percentage, outcome: 1 },
  ];
  return inRollout(new Rollout(idBucket, ranges, 0));
}

/** Like `inPercentage`, with a group from the context. An absent group is the empty text. */
export function inPercentageOfContextGroup(
  { id, percentage }: IdPercentage,
  group: Slot<string | null>,
): Predicate {
  return (request) => {
    const text = request.read(id);
    if (!text) return false;
    return rolloutBucket(text, request.read(group) ?? "") <= percentage;
  };
}
