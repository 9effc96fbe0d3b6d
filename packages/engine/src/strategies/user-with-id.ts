import { isInList } from "../evaluate/condition.ts";
import { parseList } from "./parameters.ts";
import type { ActivationStrategy } from "./strategy.ts";

/** On for the listed users. Only a `userId` that is text can be listed. */
export const userWithId: ActivationStrategy = (parameters, { fields, report }) => {
  const ids = parseList(parameters, "userIds", report) ?? [];
  if (ids.length === 0) return { condition: false, reason: "TARGETING_MATCH" };
  const list = fields.membership(fields.topLevelString("userId"), ids);
  return { condition: isInList(list), reason: "TARGETING_MATCH" };
};
