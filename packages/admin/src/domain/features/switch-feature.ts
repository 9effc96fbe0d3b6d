import type { WriteTransaction } from "../../storage/storage.ts";
import {
  checkFeatureEnvironment,
  setEnabled,
  type FeatureEnvironmentAddress,
} from "../feature-environment.ts";
import { listStrategies } from "../strategies/find-strategies.ts";
import { addDefaultStrategy, enableStrategy } from "../strategies/write-strategies.ts";

interface SwitchOptions {
  readonly enabled: boolean;
  /** Enables disabled strategies, if there are no others, instead of adding a default strategy. */
  readonly activatesDisabledStrategies: boolean;
}

/**
 * Switches a flag on or off in one environment. A flag that is on has at least one enabled strategy.
 *
 * @throws {ApiError} if the flag is unknown, archived, or not part of the environment
 */
export async function switchFeature(
  transaction: WriteTransaction,
  address: FeatureEnvironmentAddress,
  { enabled, activatesDisabledStrategies }: SwitchOptions,
): Promise<void> {
  await checkFeatureEnvironment(transaction.db, address);
  if (enabled) await ensureEnabledStrategy(transaction, address, activatesDisabledStrategies);
  await setEnabled(transaction, address, enabled);
}

async function ensureEnabledStrategy(
  transaction: WriteTransaction,
  address: FeatureEnvironmentAddress,
  activatesDisabled: boolean,
): Promise<void> {
  const existing = await listStrategies(transaction.db, address);
  if (existing.some(({ disabled }) => !disabled)) return;
  if (existing.length === 0 || !activatesDisabled) {
    await addDefaultStrategy(transaction, address);
    return;
  }
  for (const strategy of existing) await enableStrategy(transaction, address, strategy);
}
