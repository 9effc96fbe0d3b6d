import { eq } from "drizzle-orm";
import { strategies } from "../../storage/schema/strategies.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { addDefaultStrategy } from "../strategies/add-default-strategy.ts";
import { listStrategies, type FeatureEnvironmentKey } from "../strategies/find-strategies.ts";
import { toStrategyView } from "../strategies/strategy-view.ts";
import { getActiveFeature, type FeatureAddress } from "./find-features.ts";
import { isEnabled, setEnabled } from "./is-enabled.ts";
import { noSuchEnvironment } from "./no-such-environment.ts";

export interface SwitchOptions {
  readonly enabled: boolean;
  /** Enables the disabled strategies when there are no others, instead of adding one. */
  readonly activatesDisabledStrategies: boolean;
}

/** Switches a flag on or off in one environment. A flag that is on has at least one strategy. */
export async function switchFeature(
  transaction: WriteTransaction,
  address: FeatureAddress & { readonly environment: string },
  { enabled, activatesDisabledStrategies }: SwitchOptions,
): Promise<void> {
  const { db } = transaction;
  const { name: feature, project } = await getActiveFeature(db, address);
  const key = { feature, environment: address.environment };
  const wasEnabled = await isEnabled(db, key);
  if (wasEnabled === undefined) throw noSuchEnvironment(feature, address.environment);
  if (enabled) {
    await ensureEnabledStrategy(transaction, { ...key, project }, activatesDisabledStrategies);
  }
  await setEnabled(transaction, { ...key, project }, enabled);
}

type Place = FeatureEnvironmentKey & { readonly project: string };

async function ensureEnabledStrategy(
  transaction: WriteTransaction,
  place: Place,
  activatesDisabled: boolean,
): Promise<void> {
  const existing = await listStrategies(transaction.db, place);
  if (existing.some(({ disabled }) => !disabled)) return;
  if (existing.length === 0 || !activatesDisabled) {
    await addDefaultStrategy(transaction, place);
    return;
  }
  for (const strategy of existing) {
    await transaction.db
      .update(strategies)
      .set({ disabled: false })
      .where(eq(strategies.id, strategy.id));
    await transaction.record({
      type: "feature-strategy-update",
      ...place,
      before: toStrategyView(strategy),
      after: toStrategyView({ ...strategy, disabled: false }),
    });
  }
}
