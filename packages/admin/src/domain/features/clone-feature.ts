import type { WriteTransaction } from "../../storage/storage.ts";
import { setParent } from "../dependencies/store.ts";
import { type FeatureAddress, type FeatureView, getActiveFeature } from "../feature.ts";
import type { StrategyView } from "../strategies/find-strategies.ts";
import { copyStrategy } from "../strategies/write-strategies.ts";
import { replaceVariants } from "../variants/store.ts";
import { createFeature } from "./create-feature.ts";
import { readFeature } from "./read-feature.ts";
import type { CloneFeature } from "./schemas.ts";

/**
 * Creates a flag with the settings, tags, strategies, variants and dependency of another one. It is not stale, and
 * off in every environment.
 *
 * @throws {ApiError} if the flag is unknown or archived, the name is taken, or there are too many active flags
 */
export async function cloneFeature(
  transaction: WriteTransaction,
  address: FeatureAddress,
  { name, replaceGroupId = true }: CloneFeature,
): Promise<FeatureView> {
  const { db } = transaction;
  await getActiveFeature(db, address);
  const original = await readFeature(db, address);
  const { type, description, impressionData, tags, environments, dependencies } = original;
  const { project } = address;
  const created = await createFeature(transaction, project, {
    name,
    type,
    description,
    impressionData,
    tags,
  });
  const copy = { project, feature: name };
  for (const { name: environment, variants, strategies } of environments) {
    const target = { ...copy, environment };
    if (variants.length > 0) await replaceVariants(transaction, target, variants);
    for (const [sortOrder, strategy] of strategies.entries()) {
      const copied = replaceGroupId ? withGroupId(strategy, original.name, name) : strategy;
      // The copies are created at the same time, so only their sort order preserves the order of the originals.
      await copyStrategy(transaction, target, { ...copied, sortOrder });
    }
  }
  for (const { feature, enabled, variants } of dependencies) {
    await setParent(transaction, copy, { feature, enabled, variants: [...variants] });
  }
  return created;
}

/** A group id that is not the name of the flag was chosen so that flags share it: it stays. */
function withGroupId(strategy: StrategyView, before: string, after: string): StrategyView {
  const { parameters } = strategy;
  if (parameters["groupId"] !== before) return strategy;
  return { ...strategy, parameters: { ...parameters, groupId: after } };
}
