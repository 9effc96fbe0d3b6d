import { parseList } from "./parameters.ts";
import type { ActivationStrategy } from "./strategy.ts";

/** On for the listed users. Only a `userId` that is text can be listed. */
export const userWithId: ActivationStrategy = (parameters, { fields, report }) => {
  const ids = new Set(parseList(parameters, "userIds", report));
  if (ids.size === 0) return { condition: false, reason: "TARGETING_MATCH" };
  const slot = fields.topLevelString("userId");
  return {
    condition: (request) => {
      const userId = request.read(slot);
      return userId !== null && ids.has(userId);
    },
    reason: "TARGETING_MATCH",
  };
};
