import { VARIANT_SEED } from "../hash/bucket.ts";
import type { Variant } from "../parse/model.ts";
import type { ContextFields } from "../request/context-fields.ts";
import type { EvaluationRequest, Slot } from "../request/evaluation-request.ts";
import { textOf } from "../strategies/parameters.ts";

/** No variant: the position that stands for it. */
export const NO_VARIANT = -1;

/** The position of the selected variant in its list, or `NO_VARIANT`. */
export type VariantChoice = number | ((request: EvaluationRequest) => number);

export interface VariantSelection {
  readonly variants: readonly Variant[];
  /** The group that ids are hashed with. */
  readonly group: string;
  /** A field, or `default`; undefined is `default` too. */
  readonly stickiness: unknown;
}

/** Prepares the choice among the variants of a flag or strategy. */
export function compileVariants(selection: VariantSelection, fields: ContextFields): VariantChoice {
  const { variants } = selection;
  const totalWeight = variants.reduce((sum, variant) => sum + variant.weight, 0);
  if (variants.length === 0 || totalWeight <= 0) return NO_VARIANT;
  const byWeight = chooseByWeight(selection, totalWeight, fields);
  const byOverride = chooseByOverride(variants, fields);
  if (byOverride === undefined) return byWeight;
  return (request) => {
    const overridden = byOverride(request);
    if (overridden !== NO_VARIANT) return overridden;
    return typeof byWeight === "number" ? byWeight : byWeight(request);
  };
}

function chooseByWeight(
  { variants, group, stickiness }: VariantSelection,
  totalWeight: number,
  fields: ContextFields,
): VariantChoice {
  const only = onlyWeighted(variants);
  if (only !== undefined) return only;
  const id = seedOf(stickiness, fields);
  const idBucket = fields.bucket(id, { group, size: totalWeight, seed: VARIANT_SEED });
  const ranges = toRanges(variants);
  return (request) => {
    const bucket = idBucket.read(request);
    // NOTE: written so that an unusable weight (NaN) selects as the official SDK does.
    for (const { index, lastBucket } of ranges) if (!(lastBucket < bucket)) return index;
    return NO_VARIANT;
  };
}

/** The position of the one variant that has any weight, if there is just one. */
function onlyWeighted(variants: readonly Variant[]): number | undefined {
  const first = variants.findIndex(({ weight }) => weight !== 0);
  const last = variants.findLastIndex(({ weight }) => weight !== 0);
  return first === last && Number.isInteger(variants[first]?.weight) ? first : undefined;
}

function seedOf(stickiness: unknown, fields: ContextFields): Slot<string> {
  return stickiness === undefined || stickiness === "default"
    ? fields.defaultVariantSeed()
    : fields.variantSeed(textOf(stickiness));
}

/** The variants that have a share of the buckets, and the last bucket of each. */
function toRanges(variants: readonly Variant[]) {
  let lastBucket = 0;
  const ranges: { readonly index: number; readonly lastBucket: number }[] = [];
  for (const [index, { weight }] of variants.entries()) {
    if (weight === 0) continue;
    lastBucket += weight;
    ranges.push({ index, lastBucket });
  }
  return ranges;
}

type Override = (request: EvaluationRequest) => number;

function chooseByOverride(
  variants: readonly Variant[],
  fields: ContextFields,
): Override | undefined {
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
