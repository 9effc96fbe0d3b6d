import { applyPatch, type PatchOperation } from "../../http/json-patch/apply-patch.ts";
import { compileCheck } from "../../http/schemas.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { type FeatureView, toFeatureView } from "./feature-view.ts";
import { type FeatureAddress, getActiveFeature } from "./find-features.ts";
import { UpdateFeatureBody } from "./schemas.ts";
import { updateFeature } from "./update-feature.ts";

const checkPatched = compileCheck(UpdateFeatureBody);

/** Applies a JSON Patch (RFC 6902) to a flag. */
export async function patchFeature(
  transaction: WriteTransaction,
  address: FeatureAddress,
  patch: readonly PatchOperation[],
): Promise<FeatureView> {
  const before = await getActiveFeature(transaction.db, address);
  const { createdBy: _createdBy, ...patchable } = toFeatureView(before);
  const patched = checkPatched(applyPatch(patchable, patch), "/patched");
  // What was taken out gets its default, since a patch speaks of the whole flag.
  return updateFeature(transaction, address, {
    ...patched,
    type: patched.type ?? "release",
    description: patched.description ?? null,
    stale: patched.stale ?? false,
    impressionData: patched.impressionData ?? false,
  });
}
