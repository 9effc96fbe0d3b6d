import { applicationHostname } from "./application-hostname.ts";
import { everybody } from "./default.ts";
import { flexibleRollout } from "./flexible-rollout.ts";
import {
  gradualRolloutRandom,
  gradualRolloutSessionId,
  gradualRolloutUserId,
} from "./gradual-rollout.ts";
import { remoteAddress } from "./remote-address.ts";
import type { ActivationStrategy } from "./strategy.ts";
import { userWithId } from "./user-with-id.ts";

/** The built-in strategies by their exact names. */
export const BUILT_IN_STRATEGIES: ReadonlyMap<string, ActivationStrategy> = new Map([
  ["default", everybody],
  ["applicationHostname", applicationHostname],
  ["gradualRolloutRandom", gradualRolloutRandom],
  ["gradualRolloutUserId", gradualRolloutUserId],
  ["gradualRolloutSessionId", gradualRolloutSessionId],
  ["userWithId", userWithId],
  ["remoteAddress", remoteAddress],
  ["flexibleRollout", flexibleRollout],
]);

/** The names of the built-in strategies, as a client announces them to its upstream. */
export const BUILT_IN_STRATEGY_NAMES: readonly string[] = [...BUILT_IN_STRATEGIES.keys()];
