import type { Variant } from "../api/types.ts";
import { formatPercent } from "../ui/numbers.ts";

/** Weights are in thousandths. */
export const TOTAL_WEIGHT = 1000;

type Weighted = Pick<Variant, "weight" | "weightType">;

/** Returns the weight that each variant gets: variable ones share evenly what the fixed ones leave. */
export function computeWeights(variants: readonly Weighted[]): readonly number[] {
  const rest = Math.max(0, TOTAL_WEIGHT - fixedWeight(variants));
  const variableCount = variants.filter(({ weightType }) => weightType !== "fix").length;
  const share = Math.floor(rest / variableCount);
  let remainder = rest % variableCount;
  return variants.map(({ weight, weightType }) => {
    if (weightType === "fix") return weight;
    remainder -= 1;
    return share + (remainder >= 0 ? 1 : 0);
  });
}

/** Returns the variants with the weights that they get. */
export function withWeights<Item extends Weighted>(variants: readonly Item[]): readonly Item[] {
  const weights = computeWeights(variants);
  return variants.map((variant, index) => ({ ...variant, weight: weights[index] ?? 0 }));
}

/** Returns the sum of the fixed weights. */
export function fixedWeight(variants: readonly Weighted[]): number {
  return variants
    .filter(({ weightType }) => weightType === "fix")
    .reduce((sum, { weight }) => sum + weight, 0);
}

/** Describes a weight as a percentage. @param weight in thousandths */
export function formatWeight(weight: number): string {
  return formatPercent(weight / 10);
}
