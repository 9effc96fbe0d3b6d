import { Compile } from "typebox/compile";
import type { Static, TSchema } from "typebox";
import { badData } from "../errors.ts";

/**
 * Makes a function that passes what fits a schema and refuses the rest, for data that no route
 * schema has seen.
 */
export function compileCheck<Schema extends TSchema>(
  schema: Schema,
): (value: unknown, root: string) => Static<Schema> {
  const validator = Compile(schema);
  return (value, root) => {
    if (validator.Check(value)) return value;
    const [violation] = validator.Errors(value);
    const path = `${root}${violation?.instancePath ?? ""}`;
    throw badData(path, violation?.message ?? "is not as it should be");
  };
}
