import { badData } from "../../errors.ts";
import type { LegalValue } from "../../storage/schema/context-fields.ts";
import type { LegalValueInput } from "./schemas.ts";

/** A legal value as it is stored: a description of `null` means none. */
export function toLegalValue({ value, description }: LegalValueInput): LegalValue {
  return { value, ...(typeof description === "string" && { description }) };
}

/**
 * @throws {ApiError} when two entries have the same value
 */
export function checkLegalValues(legalValues: readonly LegalValueInput[]): void {
  const seen = new Set<string>();
  for (const [index, { value }] of legalValues.entries()) {
    if (seen.has(value)) {
      throw badData(`/body/legalValues/${index}/value`, `is there twice: ${JSON.stringify(value)}`);
    }
    seen.add(value);
  }
}

/** Replaces the entry with the same value, or appends a new one. */
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
