import type { LegalValue } from "../api/types.ts";

/** The longest value and the longest description that the service accepts. */
export const MAX_VALUE_LENGTH = 100;
export const MAX_DESCRIPTION_LENGTH = 250;

/** The result of reading a list that somebody has pasted. */
interface PastedValues {
  readonly values: readonly LegalValue[];
  /** What is wrong, with the number of the line. */
  readonly problems: readonly string[];
}

/**
 * Reads one value per line. A second column, as spreadsheets copy it with a tab, is the description. Empty
 * lines and repeated values are ignored.
 */
export function parsePastedValues(text: string): PastedValues {
  const values = new Map<string, LegalValue>();
  const problems: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [first = "", ...rest] = line.split("\t");
    const value = first.trim();
    const description = rest.join(" ").trim();
    if (value === "") continue;
    if (value.length > MAX_VALUE_LENGTH) {
      problems.push(`Line ${index + 1}: a value can have at most ${MAX_VALUE_LENGTH} characters`);
    } else if (description.length > MAX_DESCRIPTION_LENGTH) {
      problems.push(
        `Line ${index + 1}: a description can have at most ${MAX_DESCRIPTION_LENGTH} characters`,
      );
    } else if (!values.has(value)) {
      values.set(value, toLegalValue(value, description));
    }
  }
  return { values: [...values.values()], problems };
}

export function toLegalValue(value: string, description: string): LegalValue {
  return { value, ...(description !== "" && { description }) };
}

/** Adds values at the end. A value that is already in the list gets the new description, if there is one. */
export function addValues(
  values: readonly LegalValue[],
  added: readonly LegalValue[],
): readonly LegalValue[] {
  const merged = new Map(values.map((entry) => [entry.value, entry]));
  for (const entry of added) {
    if (!merged.has(entry.value) || entry.description !== undefined) merged.set(entry.value, entry);
  }
  return [...merged.values()];
}

/** Moves a value one position up or down. The first and the last one stay. */
export function moveValue(
  values: readonly LegalValue[],
  index: number,
  direction: -1 | 1,
): readonly LegalValue[] {
  const entry = values[index];
  const other = values[index + direction];
  if (entry === undefined || other === undefined) return values;
  return values.with(index, other).with(index + direction, entry);
}

/** Sorts values by name, numbers by their size. */
export function sortValues(values: readonly LegalValue[]): readonly LegalValue[] {
  const { compare } = new Intl.Collator("en", { numeric: true });
  return values.toSorted((a, b) => compare(a.value, b.value));
}
