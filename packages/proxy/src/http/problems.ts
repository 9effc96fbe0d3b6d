import type { TLocalizedValidationError } from "typebox/error";
import { describeSchemaError, toPath } from "../describe-schema-error.ts";
import type { Problem } from "../errors.ts";

/** Names in a body can have any length, and every problem repeats those that lead to it. */
const MAX_NAME_LENGTH = 100;

/** Describes the errors of a validator for the body of a request. */
export function toProblems(errors: readonly TLocalizedValidationError[]): readonly Problem[] {
  return errors.flatMap((error): readonly Problem[] => {
    switch (error.keyword) {
      case "maxItems":
      case "maxProperties":
        return [tooMany(toPath(error.instancePath), error.params.limit)];
      case "additionalProperties":
      case "anyOf":
        // Other errors report the same problem more precisely, for a part of this value.
        return [];
      default:
        return describeSchemaError(error).map(({ path, message }) => ({
          path: joinPath(path),
          message,
        }));
    }
  });
}

/** The problem of a list or an object with too many entries. */
function tooMany(path: readonly string[], limit: number): Problem {
  const message = `has more than ${limit} entries: send fewer, if necessary in several requests`;
  return { path: joinPath(path), message };
}

function joinPath(path: readonly string[]): string {
  return path
    .map((name) => (name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name))
    .join(".");
}

/** The part of a schema that limits the number of entries. */
interface Bounds {
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, Bounds>>;
}

/** Finds a list or an object with too many entries, without reading the entries. */
export function findExcess(
  bounds: Bounds,
  value: unknown,
  path: readonly string[] = [],
): Problem | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const isList = Array.isArray(value);
  const limit = isList ? bounds.maxItems : bounds.maxProperties;
  const countEntries = (): number => (isList ? value.length : Object.keys(value).length);
  if (limit !== undefined && countEntries() > limit) return tooMany(path, limit);
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
