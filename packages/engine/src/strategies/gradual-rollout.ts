import type { EvaluationRequest } from "../evaluate/evaluation-request.ts";
import { fixedGroup, inPercentage, parsePercentage } from "./rollout-condition.ts";
import type { ActivationStrategy } from "./strategy.ts";

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

/** Draws a bucket, from 1 to 100. */
export function randomBucket(request: EvaluationRequest): number {
  return Math.floor(request.random() * 100) + 1;
}

function byField(field: string): ActivationStrategy {
  return (parameters, { fields, report }) => {
    const percentage = parsePercentage(parameters, "percentage", report);
    if (percentage === 0) return { condition: false, reason: "SPLIT" };
    const id = fields.topLevelTruthyText(field);
    return {
      condition: inPercentage({ id, percentage }, fixedGroup(parameters) ?? "", fields),
      reason: percentage === 100 ? "TARGETING_MATCH" : "SPLIT",
    };
  };
}
