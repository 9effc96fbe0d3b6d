import { variantsOfFlag, variantsOfStrategy } from "../compile/compile-flag.ts";
import { compileVariants, idOf, NO_VARIANT, sumWeights } from "../compile/compile-variants.ts";
import type { VariantSelection } from "../compile/compile-variants.ts";
import { selectOutcome } from "../evaluate/outcome-selector.ts";
import { bucketOf, VARIANT_SEED } from "../hash.ts";
import type { Feature, Strategy } from "../parse/model.ts";
import { parameterText } from "../strategies/strategy.ts";
import type { VariantExplanation } from "./explanation.ts";
import type { ExplanationScope } from "./scope.ts";
import { shorten } from "./scope.ts";

/**
 * Explains how the variant of a flag that is on was selected: among those of the strategy that matched, or
 * else among those of the flag. Returns undefined if neither has a variant for this context.
 */
export function explainVariant(
  feature: Feature,
  strategy: Strategy | undefined,
  scope: ExplanationScope,
): VariantExplanation | undefined {
  const ofStrategy = strategy && explainSelection("strategy", variantsOfStrategy(strategy), scope);
  return ofStrategy ?? explainSelection("flag", variantsOfFlag(feature), scope);
}

function explainSelection(
  definedBy: VariantExplanation["definedBy"],
  selection: VariantSelection,
  scope: ExplanationScope,
): VariantExplanation | undefined {
  const { variants, stickiness = "default" } = selection;
  const selector = compileVariants(selection, scope.fields);
  const position = selectOutcome(selector, scope.request);
  if (position === NO_VARIANT) return undefined;
  const override = findOverride(selection, position, scope);
  return {
    definedBy,
    variants: variants.map(({ name, weight }, index) => ({
      name,
      weight: toJson(weight),
      selected: index === position,
    })),
    totalWeight: toJson(sumWeights(variants)),
    stickiness: parameterText(stickiness),
    ...(override !== undefined && { override }),
    ...(override === undefined && typeof selector !== "number" && readBucket(selection, scope)),
  };
}

function findOverride(
  { variants }: VariantSelection,
  position: number,
  scope: ExplanationScope,
): VariantExplanation["override"] {
  for (const { contextName, values } of variants[position]?.overrides ?? []) {
    const text = scope.request.read(scope.fields.text(contextName));
    if (text !== null && values.includes(text)) return { contextName, value: shorten(text) };
  }
  return undefined;
}

function readBucket(
  { variants, group, stickiness }: VariantSelection,
  scope: ExplanationScope,
): Pick<VariantExplanation, "field" | "value" | "groupId" | "bucket"> {
  const id = scope.request.read(idOf(stickiness, scope.fields));
  const size = sumWeights(variants);
  return {
    ...scope.describeId(id, stickiness === undefined ? "default" : parameterText(stickiness)),
    groupId: group,
    ...(id !== "" &&
      !Number.isNaN(size) && { bucket: bucketOf(id, { group, size, seed: VARIANT_SEED }) }),
  };
}

/** JSON has no NaN, which is the weight of a malformed variant. */
function toJson(weight: number): number | null {
  return Number.isNaN(weight) ? null : weight;
}
