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

/** Puts what a validator found into words. */
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
        // They repeat, for the whole, what was already said of the parts.
        return [];
      default:
        return [{ path, message: error.message }];
    }
  });
}

/** What is said of a list or an object that has more than it may. */
export function tooMany(path: string, limit: number): Problem {
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
