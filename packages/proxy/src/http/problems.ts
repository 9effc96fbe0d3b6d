import type { TLocalizedValidationError } from "typebox/error";
import type { Problem } from "../errors.ts";

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "a boolean",
  integer: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  string: "text",
};

/** Describes the errors of a validator in words. */
export function toProblems(errors: readonly TLocalizedValidationError[]): readonly Problem[] {
  return errors.flatMap((error): readonly Problem[] => {
    const path = toPath(error.instancePath);
    switch (error.keyword) {
      case "required":
        return error.params.requiredProperties.map((name) => ({
          path: path === "" ? name : `${path}.${name}`,
          message: "is required",
        }));
      case "maxItems":
      case "maxProperties":
        return [tooMany(path, error.params.limit)];
      case "type":
        return [{ path, message: `must be ${nameTypes([error.params.type].flat())}` }];
      case "additionalProperties":
      case "anyOf":
        // Other errors report the same problem more precisely, for a part of this value.
        return [];
      default:
        return [{ path, message: error.message }];
    }
  });
}

/** The problem of a list or an object with too many entries. */
function tooMany(path: string, limit: number): Problem {
  const message = `has more than ${limit} entries: send several requests with fewer each`;
  return { path, message };
}

/** Turns a JSON pointer into a path with dots. */
function toPath(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".");
}

function nameTypes(types: readonly string[]): string {
  const names = types.map((type) => TYPE_NAMES[type] ?? type);
  const last = names.at(-1) ?? "";
  return names.length === 1 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
}

/** The part of a schema that limits the number of entries. */
interface Bounds {
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, Bounds>>;
}

/**
 * Finds a list or an object with too many entries. Does not read the entries, so the cost does not depend
 * on their number.
 */
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
