import { badData } from "../errors.ts";
import type { LegalValue } from "../storage/schema/context-fields.ts";

/**
 * @throws {ApiError} when a value is there twice
 */
export function checkLegalValues(legalValues: readonly LegalValue[]): void {
  const seen = new Set<string>();
  for (const [index, { value }] of legalValues.entries()) {
    if (seen.has(value)) {
      throw badData(`/body/legalValues/${index}/value`, `is there twice: ${JSON.stringify(value)}`);
    }
    seen.add(value);
  }
}

/** The list with this value: in its old place when it was there, else at the end. */
export function withLegalValue(
  legalValues: readonly LegalValue[],
  added: LegalValue,
): readonly LegalValue[] {
  const index = legalValues.findIndex(({ value }) => value === added.value);
  return index === -1 ? [...legalValues, added] : legalValues.with(index, added);
}

export function withoutLegalValue(
  legalValues: readonly LegalValue[],
  removed: string,
): readonly LegalValue[] {
  return legalValues.filter(({ value }) => value !== removed);
}
