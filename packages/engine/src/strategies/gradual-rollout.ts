import type { EvaluationRequest } from "../evaluate/evaluation-request.ts";
import { describeRollout, inPercentage, parsePercentage } from "./rollout-condition.ts";
import { parameterText } from "./strategy.ts";
import type { ActivationStrategy, RolloutRule } from "./strategy.ts";

/** On for a percentage of the users. Contexts without a `userId` are off, even at 100 percent. */
export const gradualRolloutUserId: ActivationStrategy = byField("userId");

/** On for a percentage of the sessions. Contexts without a `sessionId` are off. */
export const gradualRolloutSessionId: ActivationStrategy = byField("sessionId");

/** On at random, with a new random number in each evaluation. */
export const gradualRolloutRandom: ActivationStrategy = (parameters, { fields, report }) => {
  const percentage = parsePercentage(parameters, "percentage", report);
  const describe = (): RolloutRule => ({
    kind: "rollout",
    percentage,
    stickiness: "random",
    group: () => undefined,
    id: () => null,
    bucket: randomBucket,
  });
  if (percentage === 0) return { condition: false, reason: "SPLIT", describe };
  if (percentage === 100) return { condition: true, reason: "STATIC", describe };
  fields.markUsesRandom();
  return {
    condition: (request) => percentage >= randomBucket(request),
    reason: "SPLIT",
    describe,
  };
};

function randomBucket(request: EvaluationRequest): number {
  return Math.floor(request.random() * 100) + 1;
}

function byField(field: string): ActivationStrategy {
  return (parameters, { fields, report }) => {
    const percentage = parsePercentage(parameters, "percentage", report);
    const group = parameters["groupId"] ? parameterText(parameters["groupId"]) : "";
    const describe = (): RolloutRule =>
      describeRollout(field, { id: fields.topLevelTruthyText(field), percentage }, group);
    if (percentage === 0) return { condition: false, reason: "SPLIT", describe };
    const id = fields.topLevelTruthyText(field);
    return {
      condition: inPercentage({ id, percentage }, group, fields),
      reason: percentage === 100 ? "TARGETING_MATCH" : "SPLIT",
      describe,
    };
  };
}
