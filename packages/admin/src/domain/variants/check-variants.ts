import { tryParseJson } from "flags-server-kit/neutral";
import { badData } from "../../errors.ts";
import type { StoredFlagVariant, StoredVariant } from "../../storage/schema/json-values.ts";
import { checkUniqueNames } from "../check-unique.ts";
import type { FlagVariantInput, VariantInput } from "./schemas.ts";

/** Weights are in thousandths. */
const TOTAL_WEIGHT = 1000;

/**
 * Sorts the variants of a strategy by name and computes their weights: fixed weights stay unchanged, and
 * variable variants share the rest evenly. Weights that already are an even distribution stay unchanged.
 *
 * @throws {ApiError} if the fixed weights exceed the total, no variant has a variable weight, a name
 *   occurs twice, or a payload does not match its type
 */
export function checkVariants(
  variants: readonly VariantInput[],
  path: string,
): readonly StoredVariant[] {
  if (variants.length === 0) return [];
  checkUniqueNames(variants, path);
  for (const [index, variant] of variants.entries()) checkPayload(variant, `${path}/${index}`);
  return withWeights(variants, path).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Checks the variants of a flag in an environment, and computes their weights as `checkVariants()` does.
 * The default weight type is `variable`, and the default stickiness `default`.
 *
 * @throws {ApiError} for the same reasons
 */
export function checkFlagVariants(
  variants: readonly FlagVariantInput[],
  path: string,
): readonly StoredFlagVariant[] {
  const complete = variants.map((variant) => ({
    ...variant,
    weightType: variant.weightType ?? "variable",
    stickiness: variant.stickiness ?? "default",
  }));
  const overridesOf = new Map(variants.map(({ name, overrides }) => [name, overrides]));
  return checkVariants(complete, path).map((variant) => {
    const overrides = overridesOf.get(variant.name);
    return { ...variant, ...(overrides !== undefined && { overrides }) };
  });
}

function checkPayload({ payload }: VariantInput, path: string): void {
  if (payload === undefined) return;
  if (payload.type === "json" && tryParseJson(payload.value) === undefined) {
    throw badData(`${path}/payload/value`, "must be JSON because the payload type is json");
  }
  if (payload.type === "number" && !isNumber(payload.value)) {
    throw badData(`${path}/payload/value`, "must be a number because the payload type is number");
  }
}

function isNumber(text: string): boolean {
  return text.trim() !== "" && !Number.isNaN(Number(text));
}

function withWeights(variants: readonly VariantInput[], path: string): readonly StoredVariant[] {
  const fixed = variants.filter(({ weightType }) => weightType === "fix");
  const variableCount = variants.length - fixed.length;
  if (variableCount === 0)
    throw badData(path, "must contain at least one variant with a variable weight");
  const rest = TOTAL_WEIGHT - fixed.reduce((sum, { weight }) => sum + weight, 0);
  if (rest < 0)
    throw badData(path, `must not have fixed weights that add up to more than ${TOTAL_WEIGHT}`);

  const share = Math.floor(rest / variableCount);
  // NOTE: a client that sends back the variants it read must not change anyone's variant. Sorting
  // moves the extra thousandths, so recomputing the weights would.
  const isEven = isEvenDistribution(variants, { rest, share });
  let remainder = isEven ? 0 : rest % variableCount;
  return variants.map(({ name, weight, weightType, stickiness, payload }) => {
    const extra = weightType === "variable" && remainder > 0 ? 1 : 0;
    remainder -= extra;
    return {
      name,
      weight: weightType === "fix" || isEven ? weight : share + extra,
      weightType,
      stickiness,
      ...(payload !== undefined && { payload }),
    };
  });
}

function isEvenDistribution(
  variants: readonly VariantInput[],
  { rest, share }: { readonly rest: number; readonly share: number },
): boolean {
  const weights = variants
    .filter(({ weightType }) => weightType === "variable")
    .map(({ weight }) => weight);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return total === rest && weights.every((weight) => weight === share || weight === share + 1);
}
