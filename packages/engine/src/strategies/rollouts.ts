import { inRollout } from "../evaluate/condition.ts";
import type { Predicate } from "../evaluate/condition.ts";
import type { ContextFields } from "../evaluate/context-fields.ts";
import type { EvaluationRequest, Slot } from "../evaluate/evaluation-request.ts";
import { Rollout } from "../evaluate/rollout.ts";
import { ROLLOUT_SEED, bucketOf } from "../hash.ts";
import type { Report } from "../parse/diagnostics.ts";
import { toPercentage } from "./check-parameters.ts";
import { parameterText } from "./strategy.ts";
import type { Activation, ActivationStrategy, Parameters } from "./strategy.ts";

/**
 * On for a percentage of the ids, always the same ones. The stickiness selects the id: `default`
 * (the user, else the session, else a random id), `random`, or the name of a field. In the last
 * case, contexts without the field are off.
 */
export const flexibleRollout: ActivationStrategy = (parameters, { fields, report }) => {
  const percentage = parsePercentage(parameters, "rollout", report);
  const stickiness = parameters["stickiness"] || "default";
  if (percentage === 0) return { condition: false, reason: "SPLIT" };
  if (percentage === 100) return forEveryId(stickiness, fields);
  const id = rolloutId(stickiness, fields);
  const group = fixedGroup(parameters);
  const condition =
    group === undefined
      ? inPercentageOfContextGroup(percentage, id, fields)
      : inPercentage(percentage, id, group, fields);
  return { condition, reason: "SPLIT" };
};

/** A full rollout needs no hash. If the id is never absent, it does not depend on the context. */
function forEveryId(stickiness: unknown, fields: ContextFields): Activation {
  if (stickiness === "default" || stickiness === "random") {
    return { condition: true, reason: "STATIC" };
  }
  const id = rolloutId(stickiness, fields);
  return { condition: (request) => Boolean(request.read(id)), reason: "TARGETING_MATCH" };
}

export function rolloutId(stickiness: unknown, fields: ContextFields): Slot<string | null> {
  if (stickiness === "default") return fields.defaultRolloutId();
  if (stickiness === "random") return fields.randomRolloutId();
  return fields.text(parameterText(stickiness));
}

/** On for a percentage of the users. Contexts without a `userId` are off, even at 100 percent. */
export const gradualRolloutUserId: ActivationStrategy = byField("userId");

/** On for a percentage of the sessions. Contexts without a `sessionId` are off. */
export const gradualRolloutSessionId: ActivationStrategy = byField("sessionId");

/** On at random, with a new random number in each evaluation. */
export const gradualRolloutRandom: ActivationStrategy = (parameters, { fields, report }) => {
  const percentage = parsePercentage(parameters, "percentage", report);
  if (percentage === 0) return { condition: false, reason: "SPLIT" };
  if (percentage === 100) return { condition: true, reason: "STATIC" };
  fields.markUsesRandom();
  return { condition: (request) => percentage >= randomBucket(request), reason: "SPLIT" };
};

export function randomBucket(request: EvaluationRequest): number {
  return Math.floor(request.random() * 100) + 1;
}

function byField(field: string): ActivationStrategy {
  return (parameters, { fields, report }) => {
    const percentage = parsePercentage(parameters, "percentage", report);
    if (percentage === 0) return { condition: false, reason: "SPLIT" };
    const id = fields.topLevelTruthyText(field);
    return {
      condition: inPercentage(percentage, id, fixedGroup(parameters) ?? "", fields),
      reason: percentage === 100 ? "TARGETING_MATCH" : "SPLIT",
    };
  };
}

const BUCKETS = 100;

export function rolloutBucket(id: string, group: string): number {
  return bucketOf(id, { group, size: BUCKETS, seed: ROLLOUT_SEED });
}

export function fixedGroup({ groupId }: Parameters): string | undefined {
  return groupId ? parameterText(groupId) : undefined;
}

/** NOTE: as in the official SDK, the context may provide the group of a `flexibleRollout` that names none. */
export function contextGroup(fields: ContextFields): Slot<string | null> {
  return fields.topLevelTruthyText("featureToggle");
}

/** Parses a percentage. Returns a whole number from 0 to 100; 0, after a report, if it is missing or invalid. */
export function parsePercentage(parameters: Parameters, name: string, report: Report): number {
  const percentage = toPercentage(parameters[name]);
  if (Number.isNaN(percentage)) report(`${name} must be a number: the strategy never matches`);
  return percentage || 0;
}

/** Holds for ids that the group assigns to the first buckets. Never holds for an absent id. */
function inPercentage(
  percentage: number,
  id: Slot<string | null>,
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

function inPercentageOfContextGroup(
  percentage: number,
  id: Slot<string | null>,
  fields: ContextFields,
): Predicate {
  const group = contextGroup(fields);
  return (request) => {
    const text = request.read(id);
    if (!text) return false;
    return rolloutBucket(text, request.read(group) ?? "") <= percentage;
  };
}
