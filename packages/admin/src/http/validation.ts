import { AjvCompiler } from "@fastify/ajv-compiler";
import type { FastifyError, FastifyInstance } from "fastify";
import type { Static, TSchema } from "typebox";

/** A part of a value that does not match a schema. */
export type SchemaViolation = NonNullable<FastifyError["validation"]>[number];

const compile = AjvCompiler()(
  {},
  {
    customOptions: {
      // Values are stored exactly as sent.
      coerceTypes: false,
      removeAdditional: false,
      useDefaults: false,
      allErrors: false,
      allowUnionTypes: true,
    },
  },
);

/**
 * Returns a function that finds out why a value does not match a schema; undefined if it does. The schema is compiled
 * when it is first used: compiling all of them would take a tenth of the start.
 */
export function compileOnUse(
  schema: object,
): (value: unknown) => readonly SchemaViolation[] | undefined {
  let validate: ReturnType<typeof compile> | undefined;
  return (value) => {
    validate ??= compile({ schema, method: "", url: "", httpPart: "" });
    return validate(value) === true ? undefined : (validate.errors ?? []);
  };
}

/** Returns a function that reports whether a value matches a schema. */
export function createCheck<Schema extends TSchema>(
  schema: Schema,
): (value: unknown) => value is Static<Schema> {
  const findViolations = compileOnUse(schema);
  return (value): value is Static<Schema> => findViolations(value) === undefined;
}

/** Makes the app compile the schema of a route when its first request arrives. */
export function compileSchemasOnUse(app: FastifyInstance): void {
  app.setValidatorCompiler<object>(({ schema }) => {
    const findViolations = compileOnUse(schema);
    return (value: unknown) => {
      const violations = findViolations(value);
      return violations === undefined || { error: [...violations] };
    };
  });
}
