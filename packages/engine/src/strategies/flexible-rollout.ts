import type { Condition } from "../evaluate/condition.ts";
import type { Slot } from "../evaluate/evaluation-request.ts";
import { parsePercentage, textOf } from "./parameters.ts";
import { isInShare, isInShareOfNamedGroup, type Share } from "./rollout-condition.ts";
import type { ActivationStrategy, Parameters, StrategyScope } from "./strategy.ts";

/**
 * On for a share of the ids, always the same ones. What counts as the id is the stickiness: the
 * user, else the session, else chance (`default`); chance (`random`); or any field by its name,
 * and then nobody without that field is in.
 */
export const flexibleRollout: ActivationStrategy = (parameters, scope) => {
  const percentage = parsePercentage(parameters["rollout"]);
  if (percentage === 0) return { condition: false, reason: "SPLIT" };
  const sticksTo = parameters["stickiness"] || "default";
  if (percentage === 100) return forEveryId(sticksTo, scope);
  const id = rolloutId(sticksTo, scope);
  return { condition: inShare(parameters, { id, percentage }, scope), reason: "SPLIT" };
};

/** A full rollout needs no hash, and with an id that is never absent no context either. */
function forEveryId(sticksTo: unknown, { fields }: StrategyScope): ReturnType<ActivationStrategy> {
  if (sticksTo === "default" || sticksTo === "random") return { condition: true, reason: "STATIC" };
  const id = fields.text(textOf(sticksTo));
  return { condition: (request) => Boolean(request.read(id)), reason: "TARGETING_MATCH" };
}

function rolloutId(sticksTo: unknown, { fields }: StrategyScope): Slot<string | null> {
  if (sticksTo === "default") return fields.defaultRolloutId();
  if (sticksTo === "random") return fields.randomRolloutId();
  return fields.text(textOf(sticksTo));
}

function inShare({ groupId }: Parameters, share: Share, { fields }: StrategyScope): Condition {
  if (groupId) return isInShare(share, textOf(groupId), fields);
  // NOTE: without a group the official SDK takes one that the caller put into the context.
  return isInShareOfNamedGroup(share, fields.topLevelText("featureToggle"));
}
