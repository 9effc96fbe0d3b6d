import type { ContextFields } from "../evaluate/context-fields.ts";
import type { Slot } from "../evaluate/evaluation-request.ts";
import {
  contextGroup,
  fixedGroup,
  inPercentage,
  inPercentageOfContextGroup,
  parsePercentage,
} from "./rollout-condition.ts";
import { parameterText } from "./strategy.ts";
import type { Activation, ActivationStrategy } from "./strategy.ts";

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
  const part = { id: rolloutId(stickiness, fields), percentage };
  const group = fixedGroup(parameters);
  const condition =
    group === undefined
      ? inPercentageOfContextGroup(part, contextGroup(fields))
      : inPercentage(part, group, fields);
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

/** Returns the id that is hashed; null if it is absent. */
export function rolloutId(stickiness: unknown, fields: ContextFields): Slot<string | null> {
  if (stickiness === "default") return fields.defaultRolloutId();
  if (stickiness === "random") return fields.randomRolloutId();
  return fields.text(parameterText(stickiness));
}
