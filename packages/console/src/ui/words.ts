/** Splits what a user searches for into words. */
export function toWords(query: string): readonly string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether each of the words occurs in one of the strings. */
export function matchesWords(
  words: readonly string[],
  ...texts: readonly (string | null | undefined)[]
): boolean {
  if (words.length === 0) return true;
  const lowerCase = texts.map((text) => (text ?? "").toLowerCase());
  return words.every((word) => lowerCase.some((text) => text.includes(word)));
}

const conjunction = new Intl.ListFormat("en-GB", { type: "conjunction" });
const disjunction = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** Joins words as in a sentence, for example "a, b and c". */
export function joinWithAnd(words: readonly string[]): string {
  return conjunction.format(words);
}

/** Joins words as in a sentence, for example "a, b or c". */
export function joinWithOr(words: readonly string[]): string {
  return disjunction.format(words);
}

/** Returns each of the strings once, sorted. */
export function sortDistinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted();
}
