type Members = Readonly<Record<string, unknown>>;

/**
 * Writes a value of JSON so that two texts are equal exactly when the values are, in whatever order
 * the keys of objects come. Made to be hashed, and not to be read again: texts are preceded by their
 * length, which takes half as long as escaping them.
 */
export function toCanonicalText(value: unknown): string {
  if (typeof value === "string") return withLength(value);
  if (typeof value !== "object" || value === null) return `${String(value)};`;
  return Array.isArray(value) ? writeList(value) : writeObject(value as Members);
}

function withLength(text: string): string {
  return `${text.length}"${text}`;
}

function writeList(entries: readonly unknown[]): string {
  let text = "[";
  for (const entry of entries) text += toCanonicalText(entry);
  return `${text}]`;
}

function writeObject(members: Members): string {
  let text = "{";
  for (const key of Object.keys(members).toSorted()) {
    const value = members[key];
    if (value !== undefined) text += withLength(key) + toCanonicalText(value);
  }
  return `${text}}`;
}
