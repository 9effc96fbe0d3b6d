/**
 * Splits a comma-separated list. White space around the commas is removed; at the start and the end of the whole list it
 * is kept, as in the official SDK.
 *
 * NOTE: splitting by a regular expression takes quadratic time for long white space without a comma.
 */
export function splitListParameter(text: string): readonly string[] {
  const entries = text.split(",");
  const last = entries.length - 1;
  return entries.map((entry, index) => {
    const trimmed = index < last ? entry.trimEnd() : entry;
    return index > 0 ? trimmed.trimStart() : trimmed;
  });
}
