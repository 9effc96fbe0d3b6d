/** Splits pasted text at commas and line breaks. Spaces and quotes around values and empty values are left out. */
export function parseValues(text: string): readonly string[] {
  return distinct(text.split(/[,;\t\r\n]+/).map(unquote));
}

/** Splits text with one value per line, so that values can contain commas. */
export function parseLines(text: string): readonly string[] {
  return distinct(text.split(/\r\n|\r|\n/).map((line) => line.trim()));
}

function unquote(text: string): string {
  const trimmed = text.trim();
  return /^(["']).*\1$/.test(trimmed) ? trimmed.slice(1, -1).trim() : trimmed;
}

/** Returns both lists as one, without duplicates. */
export function withValues(values: readonly string[], added: readonly string[]): readonly string[] {
  return distinct([...values, ...added]);
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].filter((value) => value !== "");
}
