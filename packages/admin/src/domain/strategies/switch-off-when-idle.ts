import { setEnabled } from "../features/is-enabled.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { listStrategies } from "./find-strategies.ts";
import type { StrategyPlace } from "./place.ts";

/**
 * Switches a flag off when no strategy is left to switch it on: SDKs take a flag without strategies
 * as on for everybody.
 */
export async function switchOffWhenIdle(
  transaction: WriteTransaction,
  place: StrategyPlace,
): Promise<void> {
  const strategies = await listStrategies(transaction.db, place);
  if (strategies.some(({ disabled }) => !disabled)) return;
  await setEnabled(transaction, place, false);
}
