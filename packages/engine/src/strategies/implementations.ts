import { applicationHostname, remoteAddress, userWithId } from "./lists.ts";
import {
  flexibleRollout,
  gradualRolloutRandom,
  gradualRolloutSessionId,
  gradualRolloutUserId,
} from "./rollouts.ts";
import type { ActivationStrategy } from "./strategy.ts";
import type { StrategyName } from "./strategy-table.ts";

const everyContext: ActivationStrategy = () => ({ condition: true, reason: "STATIC" });

/** The implementations of the strategies in `strategy-table.ts`. */
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

export const BUILT_IN_STRATEGIES: ReadonlyMap<string, ActivationStrategy> = new Map(
  Object.entries(IMPLEMENTATIONS),
);
