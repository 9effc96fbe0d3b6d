import { applicationHostname } from "./application-hostname.ts";
import { flexibleRollout } from "./flexible-rollout.ts";
import {
  gradualRolloutRandom,
  gradualRolloutSessionId,
  gradualRolloutUserId,
} from "./gradual-rollout.ts";
import { remoteAddress } from "./remote-address.ts";
import type { ActivationStrategy } from "./strategy.ts";
import { userWithId } from "./user-with-id.ts";

/** On for every context. */
const everyContext: ActivationStrategy = () => ({ condition: true, reason: "STATIC" });

/**
 * The built-in strategies by their exact names in documents.
 *
 * To add a strategy, write an `ActivationStrategy` in a file of this folder and add one line here; describe its
 * parameters in check-parameters.ts of flags-admin and in strategy-types.ts of the console.
 */
export const BUILT_IN_STRATEGIES: ReadonlyMap<string, ActivationStrategy> = new Map([
  ["default", everyContext],
  ["applicationHostname", applicationHostname],
  ["gradualRolloutRandom", gradualRolloutRandom],
  ["gradualRolloutUserId", gradualRolloutUserId],
  ["gradualRolloutSessionId", gradualRolloutSessionId],
  ["userWithId", userWithId],
  ["remoteAddress", remoteAddress],
  ["flexibleRollout", flexibleRollout],
]);

/** The names of the built-in strategies, which clients send to the upstream when they register. */
export const BUILT_IN_STRATEGY_NAMES: readonly string[] = [...BUILT_IN_STRATEGIES.keys()];
