import { applicationHostname } from "./application-hostname.ts";
import { flexibleRollout } from "./flexible-rollout.ts";
import {
  gradualRolloutRandom,
  gradualRolloutSessionId,
  gradualRolloutUserId,
} from "./gradual-rollout.ts";
import { remoteAddress } from "./remote-address.ts";
import type { ActivationStrategy } from "./strategy.ts";
import type { StrategyName } from "./strategy-table.ts";
import { userWithId } from "./user-with-id.ts";

/** On for every context. */
const everyContext: ActivationStrategy = () => ({ condition: true, reason: "STATIC" });

/** The implementations of the strategies in `strategy-table.ts`, each in a file of this folder. */
const IMPLEMENTATIONS: Readonly<Record<StrategyName, ActivationStrategy>> = {
  default: everyContext,
  applicationHostname,
  gradualRolloutRandom,
  gradualRolloutUserId,
  gradualRolloutSessionId,
  userWithId,
  remoteAddress,
  flexibleRollout,
};

/** The built-in strategies by their names. */
export const BUILT_IN_STRATEGIES: ReadonlyMap<string, ActivationStrategy> = new Map(
  Object.entries(IMPLEMENTATIONS),
);
