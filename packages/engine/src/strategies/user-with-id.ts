import { inList } from "../evaluate/condition.ts";
import { parseListParameter } from "./strategy.ts";
import type { ActivationStrategy } from "./strategy.ts";

/** On for the listed users. A `userId` that is not a string never matches. */
export const userWithId: ActivationStrategy = (parameters, { fields, report }) => {
  const ids = parseListParameter(parameters, "userIds", report);
  if (ids.length === 0) return { condition: false, reason: "TARGETING_MATCH" };
  const list = fields.membership(fields.topLevelString("userId"), ids);
  return { condition: inList(list), reason: "TARGETING_MATCH" };
};
