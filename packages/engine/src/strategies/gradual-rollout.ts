import { parsePercentage, textOf } from "./parameters.ts";
import { isInShare } from "./rollout-condition.ts";
import type { ActivationStrategy } from "./strategy.ts";

/** On for a share of the users; nobody without a `userId` is in. */
export const gradualRolloutUserId: ActivationStrategy = byField("userId");

/** On for a share of the sessions; nobody without a `sessionId` is in. */
export const gradualRolloutSessionId: ActivationStrategy = byField("sessionId");

/** On by chance, drawn anew at each evaluation. */
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
    const id = fields.topLevelText(field);
    const { groupId } = parameters;
    return {
      condition: isInShare({ id, percentage }, groupId ? textOf(groupId) : "", fields),
      reason: percentage === 100 ? "TARGETING_MATCH" : "SPLIT",
    };
  };
}
