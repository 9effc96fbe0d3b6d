/** Reads `cors.maxAge` and the like; undefined when it, or the group around it, is not set. */
export function readOption(options: object, path: string): unknown {
  let value: unknown = options;
  for (const key of path.split(".")) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
