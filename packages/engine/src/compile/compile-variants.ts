import type { ContextFields } from "../evaluate/context-fields.ts";
import { selectOutcome } from "../evaluate/outcome-selector.ts";
import type { OutcomeSelector } from "../evaluate/outcome-selector.ts";
import type { EvaluationRequest, Slot } from "../evaluate/evaluation-request.ts";
import { Rollout } from "../evaluate/rollout.ts";
import type { BucketRange } from "../evaluate/rollout.ts";
import { VARIANT_SEED } from "../hash.ts";
import type { Variant } from "../parse/model.ts";
import { parameterText } from "../strategies/strategy.ts";

/** The position that means "no variant". */
export const NO_VARIANT = -1;

/** Selects the position of a variant in its list, or `NO_VARIANT`. */
export type VariantSelector = OutcomeSelector;

export interface VariantSelection {
  readonly variants: readonly Variant[];
  /** The group that ids are hashed with. */
  readonly group: string;
  /** The name of a field, or `default`. Undefined is `default`. */
  readonly stickiness: unknown;
}

export function compileVariants(
  selection: VariantSelection,
  fields: ContextFields,
): VariantSelector {
  const { variants } = selection;
  const totalWeight = sumWeights(variants);
  if (variants.length === 0 || totalWeight <= 0) return NO_VARIANT;
  const byWeight = selectByWeight(selection, totalWeight, fields);
  const byOverride = selectByOverride(variants, fields);
  if (byOverride === undefined) return byWeight;
  return (request) => {
    const overridden = byOverride(request);
    return overridden === NO_VARIANT ? selectOutcome(byWeight, request) : overridden;
  };
}

export function sumWeights(variants: readonly Variant[]): number {
  return variants.reduce((sum, variant) => sum + variant.weight, 0);
}

function selectByWeight(
  { variants, group, stickiness }: VariantSelection,
  totalWeight: number,
  fields: ContextFields,
): VariantSelector {
  const only = onlyWeightedVariant(variants);
  if (only !== undefined) return only;
  const id = idOf(stickiness, fields);
  const idBucket = fields.bucket(id, { group, size: totalWeight, seed: VARIANT_SEED });
  return new Rollout(idBucket, toRanges(variants), NO_VARIANT);
}

/** Returns the position of the only variant with a weight; undefined if there are several. */
function onlyWeightedVariant(variants: readonly Variant[]): number | undefined {
  const first = variants.findIndex(({ weight }) => weight !== 0);
  const last = variants.findLastIndex(({ weight }) => weight !== 0);
  return first === last && Number.isInteger(variants[first]?.weight) ? first : undefined;
}

export function idOf(stickiness: unknown, fields: ContextFields): Slot<string> {
  return stickiness === undefined || stickiness === "default"
    ? fields.defaultVariantId()
    : fields.variantId(parameterText(stickiness));
}

/** Assigns each variant as many consecutive buckets as its weight. */
function toRanges(variants: readonly Variant[]): readonly BucketRange[] {
  let lastBucket = 0;
  return variants.flatMap(({ weight }, outcome) => {
    if (weight === 0) return [];
    lastBucket += weight;
    return [{ lastBucket, outcome }];
  });
}

type OverrideSelector = (request: EvaluationRequest) => number;

function selectByOverride(
  variants: readonly Variant[],
  fields: ContextFields,
): OverrideSelector | undefined {
  const overrides = variants.flatMap((variant, index) =>
    variant.overrides.map(({ contextName, values }) => ({
      index,
      slot: fields.text(contextName),
      values: new Set(values),
    })),
  );
  if (overrides.length === 0) return undefined;
  return (request) => {
    for (const { index, slot, values } of overrides) {
      const text = request.read(slot);
      if (text !== null && values.has(text)) return index;
    }
    return NO_VARIANT;
  };
}
