import { compileCheck } from "../../http/schemas.ts";
import { applyPatch, type PatchOperation } from "../../http/json-patch/apply-patch.ts";
import { badData } from "../../errors.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { getStrategyAt, requirePlace, type StrategyPlace } from "./place.ts";
import { PatchedStrategy } from "./schemas.ts";
import { type StrategyView, toStrategyView } from "./strategy-view.ts";
import { replaceStrategy } from "./write-strategies.ts";

const checkPatched = compileCheck(PatchedStrategy);

/** Applies a JSON Patch (RFC 6902) to a strategy. */
export async function patchStrategy(
  transaction: WriteTransaction,
  at: StrategyPlace & { readonly id: string },
  patch: readonly PatchOperation[],
): Promise<StrategyView> {
  await requirePlace(transaction.db, at);
  const before = toStrategyView(await getStrategyAt(transaction.db, at));
  const { id, ...patched } = checkPatched(applyPatch(before, patch), "/patched");
  if (id !== before.id) throw badData("/patched/id", "cannot be changed");
  // What was taken out gets its default, since a patch speaks of the whole strategy.
  const defaults = { title: null, disabled: false, segments: [] };
  return replaceStrategy(transaction, at, { ...defaults, ...patched });
}
