import { inList } from "../evaluate/condition.ts";
import { parseListParameter } from "./strategy.ts";
import type { ActivationStrategy, ListRule } from "./strategy.ts";

/** On for the listed users. A `userId` that is not a string never matches. */
export const userWithId: ActivationStrategy = (parameters, { fields, report }) => {
  const ids = parseListParameter(parameters, "userIds", report);
  const describe = (): ListRule => {
    const text = fields.topLevelString("userId");
    return { kind: "list", field: "userId", values: ids, actual: (request) => request.read(text) };
  };
  if (ids.length === 0) return { condition: false, reason: "TARGETING_MATCH", describe };
  const list = fields.membership(fields.topLevelString("userId"), ids);
  return { condition: inList(list), reason: "TARGETING_MATCH", describe };
};
