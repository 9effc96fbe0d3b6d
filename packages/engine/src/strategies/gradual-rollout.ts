import { inPercentage, parsePercentage } from "./rollout-condition.ts";
import { parameterText } from "./strategy.ts";
import type { ActivationStrategy } from "./strategy.ts";

/** On for a percentage of the users. Contexts without a `userId` are off, even at 100 percent. */
export const gradualRolloutUserId: ActivationStrategy = byField("userId");

/** On for a percentage of the sessions. Contexts without a `sessionId` are off. */
export const gradualRolloutSessionId: ActivationStrategy = byField("sessionId");

/** On at random, with a new random number in each evaluation. */
export const gradualRolloutRandom: ActivationStrategy = (parameters, { fields }) => {
  const percentage = parsePercentage(parameters["percentage"]);
  if (percentage === 0) return { condition: false, reason: "SPLIT" };
  if (percentage === 100) return { condition: true, reason: "STATIC" };
  fields.noteRandomDraw();
  return {
    condition: (request) => percentage >= Math.floor(request.random() * 100) + 1,
    reason: "SPLIT",
  };
};

function byField(field: string): ActivationStrategy {
  return (parameters, { fields }) => {
    const percentage = parsePercentage(parameters["percentage"]);
    if (percentage === 0) return { condition: false, reason: "SPLIT" };
    const id = fields.topLevelTruthyText(field);
    const group = parameters["groupId"] ? parameterText(parameters["groupId"]) : "";
    return {
      condition: inPercentage({ id, percentage }, group, fields),
      reason: percentage === 100 ? "TARGETING_MATCH" : "SPLIT",
    };
  };
}
