import { rewordSchemaMessage } from "flags-server-kit/neutral";
import type { TLocalizedValidationError } from "typebox/error";

/** A problem of a value, which is within lists and objects. */
export interface ValueProblem {
  /** The names and indexes that lead to the value. */
  readonly path: readonly string[];
  readonly message: string;
}

export function describeSchemaError(error: TLocalizedValidationError): readonly ValueProblem[] {
  const path = toPath(error.instancePath);
  if (error.keyword !== "required") return [{ path, message: rewordSchemaMessage(error.message) }];
  return error.params.requiredProperties.map((name) => ({
    path: [...path, name],
    message: "is required",
  }));
}

/** Returns the names and indexes in a JSON pointer. */
export function toPath(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}
