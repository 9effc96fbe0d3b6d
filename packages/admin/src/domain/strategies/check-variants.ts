import { badData } from "../../errors.ts";
import type { StoredVariant } from "../../storage/schema/strategies.ts";
import type { VariantInput } from "./schemas.ts";

/** Weights are in thousandths. */
const TOTAL_WEIGHT = 1000;

/**
 * Variants as they are stored, sorted by name. Fixed weights stay as they were sent, the rest is
 * distributed evenly among the variable ones. Weights that already are an even distribution stay.
 *
 * @throws {ApiError} when the fixed weights exceed the total, a name occurs twice, or a payload does
 * not match its type
 */
export function checkVariants(
  variants: readonly VariantInput[],
  path: string,
): readonly StoredVariant[] {
  if (variants.length === 0) return [];
  checkNames(variants, path);
  for (const [index, variant] of variants.entries()) checkPayload(variant, `${path}/${index}`);
  return withWeights(variants, path).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function checkNames(variants: readonly VariantInput[], path: string): void {
  const seen = new Set<string>();
  for (const [index, { name }] of variants.entries()) {
    if (seen.has(name)) {
      throw badData(`${path}/${index}/name`, `is there twice: ${JSON.stringify(name)}`);
    }
    seen.add(name);
  }
}

function checkPayload({ payload }: VariantInput, path: string): void {
  if (payload === undefined) return;
  if (payload.type === "json" && !isJson(payload.value)) {
    throw badData(`${path}/payload/value`, "must be JSON, as its type says");
  }
  if (payload.type === "number" && !isNumber(payload.value)) {
    throw badData(`${path}/payload/value`, "must be a number, as its type says");
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isNumber(text: string): boolean {
  return text.trim() !== "" && !Number.isNaN(Number(text));
}

function withWeights(variants: readonly VariantInput[], path: string): readonly StoredVariant[] {
  const fixed = variants.filter(({ weightType }) => weightType === "fix");
  const variableCount = variants.length - fixed.length;
  if (variableCount === 0) throw badData(path, "must hold at least one variant of variable weight");
  const rest = TOTAL_WEIGHT - fixed.reduce((sum, { weight }) => sum + weight, 0);
  if (rest < 0) throw badData(path, `have fixed weights of more than ${TOTAL_WEIGHT} together`);

  const share = Math.floor(rest / variableCount);
  // A client that sends back what it read changes nobody's variant, although the order differs.
  const isEven = isEvenDistribution(variants, { rest, share });
  let leftOver = isEven ? 0 : rest % variableCount;
  return variants.map(({ name, weight, weightType, stickiness, payload }) => {
    const extra = weightType === "variable" && leftOver > 0 ? 1 : 0;
    leftOver -= extra;
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
