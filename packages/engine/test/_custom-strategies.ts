import type { CustomStrategy } from "../src/index.ts";

type Parameters = Readonly<Record<string, unknown>>;

const evenUser: CustomStrategy = {
  name: "evenUser",
  isEnabled: (_parameters, { userId }) => String(userId).length % 2 === 0,
};

/** Answers with all sorts of values, of which only the truth counts. */
const plan: CustomStrategy = {
  name: "plan",
  isEnabled: (parameters: Parameters | undefined, { properties }) =>
    parameters?.["plan"] === properties?.["plan"] ? "yes" : Number.NaN,
};

/** Take the place of the built-in strategies of these names. */
const shadows: readonly CustomStrategy[] = [
  { name: "default", isEnabled: (_parameters, { sessionId }) => !sessionId },
  { name: "userWithId", isEnabled: (_parameters, { userId }) => userId },
];

/** What a client may be configured with; of two strategies with one name the first counts. */
export const CUSTOM_STRATEGY_SETS: readonly (readonly CustomStrategy[])[] = [
  [],
  [evenUser, plan],
  [plan, ...shadows],
  [evenUser, { name: "evenUser", isEnabled: () => true }],
];
