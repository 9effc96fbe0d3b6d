import type { Condition } from "../evaluate/condition.ts";
import type { Slot } from "../evaluate/evaluation-request.ts";
import {
  describeRollout,
  inPercentage,
  inPercentageOfContextGroup,
  parsePercentage,
} from "./rollout-condition.ts";
import type { IdPercentage } from "./rollout-condition.ts";
import { parameterText } from "./strategy.ts";
import type {
  Activation,
  ActivationStrategy,
  Parameters,
  RolloutRule,
  StrategyScope,
} from "./strategy.ts";

/**
 * On for a percentage of the ids, always the same ones. The stickiness selects the id: `default`
 * (the user, else the session, else a random id), `random`, or the name of a field. In the last
 * case, contexts without the field are off.
 */
export const flexibleRollout: ActivationStrategy = (parameters, scope) => {
  const percentage = parsePercentage(parameters, "rollout", scope.report);
  const stickiness = parameters["stickiness"] || "default";
  const describe = (): RolloutRule => {
    const id = rolloutId(stickiness, scope);
    const group = groupOf(parameters, scope);
    return describeRollout(parameterText(stickiness), { id, percentage }, group);
  };
  if (percentage === 0) return { condition: false, reason: "SPLIT", describe };
  if (percentage === 100) return { ...forEveryId(stickiness, scope), describe };
  const id = rolloutId(stickiness, scope);
  return { condition: inGroup(parameters, { id, percentage }, scope), reason: "SPLIT", describe };
};

/** A full rollout needs no hash. If the id is never absent, it does not depend on the context. */
function forEveryId(stickiness: unknown, { fields }: StrategyScope): Omit<Activation, "describe"> {
  if (stickiness === "default" || stickiness === "random") {
    return { condition: true, reason: "STATIC" };
  }
  const id = fields.text(parameterText(stickiness));
  return { condition: (request) => Boolean(request.read(id)), reason: "TARGETING_MATCH" };
}

function rolloutId(stickiness: unknown, { fields }: StrategyScope): Slot<string | null> {
  if (stickiness === "default") return fields.defaultRolloutId();
  if (stickiness === "random") return fields.randomRolloutId();
  return fields.text(parameterText(stickiness));
}

function inGroup(
  parameters: Parameters,
  percentage: IdPercentage,
  scope: StrategyScope,
): Condition {
  const group = groupOf(parameters, scope);
  return typeof group === "string"
    ? inPercentage(percentage, group, scope.fields)
    : inPercentageOfContextGroup(percentage, group);
}

/** NOTE: as in the official SDK, the context may provide the group of a strategy that has none. */
function groupOf({ groupId }: Parameters, { fields }: StrategyScope): string | Slot<string | null> {
  return groupId ? parameterText(groupId) : fields.topLevelTruthyText("featureToggle");
}
