// The service may have recorded the states in events years ago, so their structure is not assumed.

/** Returns the text of a field; another text if it has none. */
export function textAt(state: unknown, field: string, fallback = "(unnamed)"): string {
  const value = fieldsOf(state)[field];
  if (typeof value === "string" && value !== "") return value;
  return typeof value === "number" ? String(value) : fallback;
}

/** Returns the list of a field; an empty one if it has none. */
export function listAt(state: unknown, field: string): readonly unknown[] {
  const value = fieldsOf(state)[field];
  return Array.isArray(value) ? value : [];
}

/** Returns the fields of an object; none for anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
