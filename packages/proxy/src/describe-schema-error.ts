import { rewordSchemaMessage } from "flags-server-kit/command-line";
import type { TLocalizedValidationError } from "typebox/error";

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "a boolean",
  integer: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  string: "a string",
};

/** A problem of a value, which is within lists and objects. */
export interface ValueProblem {
  /** The names and indexes that lead to the value. */
  readonly path: readonly string[];
  readonly message: string;
}

/** Describes an error of a validator in words. */
export function describeSchemaError(error: TLocalizedValidationError): readonly ValueProblem[] {
  const path = toPath(error.instancePath);
  switch (error.keyword) {
    case "required":
      return error.params.requiredProperties.map((name) => ({
        path: [...path, name],
        message: "is required",
      }));
    case "type":
      return [{ path, message: `must be ${nameTypes([error.params.type].flat())}` }];
    default:
      return [{ path, message: rewordSchemaMessage(error.message) }];
  }
}

/** Returns the names and indexes in a JSON pointer. */
export function toPath(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function nameTypes(types: readonly string[]): string {
  const names = types.map((type) => TYPE_NAMES[type] ?? type);
  const last = names.at(-1) ?? "";
  return names.length === 1 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
}
