import { VARIANT_SEED } from "../hash/bucket.ts";
import type { Variant } from "../parse/model.ts";
import type { ContextFields } from "../evaluate/context-fields.ts";
import type { EvaluationRequest, Slot } from "../evaluate/evaluation-request.ts";
import { textOf } from "../strategies/parameters.ts";
import { resolve, type Answer } from "../evaluate/decision.ts";
import { Split } from "../evaluate/rollout.ts";

/** No variant: the position that stands for it. */
export const NO_VARIANT = -1;

/** How the position of the selected variant in its list, or `NO_VARIANT`, comes about. */
export type VariantChoice = Answer;

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
    return resolve(byWeight, request);
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
  const split = new Split({ idBucket, steps: toSteps(variants), otherwise: NO_VARIANT });
  // NOTE: no split for tables then, which hold nothing but whole numbers of 32 bits.
  return isInt32(totalWeight) ? split : (request) => split.decide(request);
}

function isInt32(value: number): boolean {
  return (value | 0) === value;
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

/** Each variant with any weight takes the buckets up to its last one. */
function toSteps(variants: readonly Variant[]) {
  let lastBucket = 0;
  return variants.flatMap(({ weight }, outcome) => {
    if (weight === 0) return [];
    lastBucket += weight;
    return [{ lastBucket, outcome }];
  });
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
