import { columnOf, parseTable } from "./parse-table.ts";

/** The largest list has 1 MiB; a file can have further columns. */
const MAX_MB = 20;

/** A CSV file, and which of its values are meant. */
export interface ValueFile {
  readonly name: string;
  readonly rows: readonly (readonly string[])[];
  /** The index of the column. */
  readonly column: number;
  /** Whether the first row is not a value. */
  readonly hasHeading: boolean;
}

/**
 * Reads a file that somebody has chosen. Its first row counts as a heading if there are several columns, because files with
 * one column are often lists without one.
 *
 * @throws {Error} if it is too large, or not a text
 */
export async function readValueFile(file: File): Promise<ValueFile> {
  const { name, size } = file;
  if (size > MAX_MB * 1_000_000) {
    throw new Error(`${name} has more than ${MAX_MB} MB. Choose a file with fewer columns or rows`);
  }
  const text = await file.text();
  // Spreadsheets and texts in UTF-16 contain such characters.
  if (text.includes("\0")) throw new Error(`${name} is not a CSV file in UTF-8. Export it as one`);
  const rows = parseTable(text);
  if (rows.length === 0) throw new Error(`${name} contains no values`);
  return { name, rows, column: 0, hasHeading: (rows[0]?.length ?? 0) > 1 };
}

/** Returns the distinct values of the chosen column. */
export function valuesOf({ rows, column, hasHeading }: ValueFile): readonly string[] {
  return columnOf(hasHeading ? rows.slice(1) : rows, column);
}

/** Returns the columns to choose from, by their headings. */
export function columnChoices({ rows, hasHeading }: ValueFile) {
  const [first = []] = rows;
  return first.map((heading, index) => ({
    id: String(index),
    label: hasHeading && heading !== "" ? heading : `Column ${index + 1}`,
  }));
}
