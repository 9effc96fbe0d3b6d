import type { Problem } from "../errors.ts";
import { tooMany } from "./problems.ts";

/** The limits of a schema. */
interface Bounds {
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, Bounds>>;
}

/** Finds a list or an object with more entries than its schema allows, without reading the entries. */
export function findExcess(
  bounds: Bounds,
  value: unknown,
  path: readonly string[] = [],
): Problem | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const limit = Array.isArray(value) ? bounds.maxItems : bounds.maxProperties;
  if (limit !== undefined && Object.keys(value).length > limit) {
    return tooMany(path.join("."), limit);
  }
  return findWithin(bounds.properties ?? {}, value, path);
}

function findWithin(
  properties: Readonly<Record<string, Bounds>>,
  value: object,
  path: readonly string[],
): Problem | undefined {
  for (const [name, bounds] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const found = findExcess(bounds, Reflect.get(value, name), [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}
