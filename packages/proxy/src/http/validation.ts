import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { HttpError, type Problem } from "../errors.ts";
import { findExcess, toProblems } from "./problems.ts";

/** The problems of a body with more values are not listed, since finding them all is expensive. */
const MAX_EXPLAINED_VALUES = 2000;

/** No schema is deeper, so validators never read deeper values. */
const MAX_DEPTH = 6;

/**
 * Checks bodies against their schema: nothing is converted, removed or filled in. Queries are checked
 * by their parser, whose errors are more specific; their schemas are for the OpenAPI document only.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart !== "body") return () => true;

  return (body: unknown) => {
    // First, because it does not read the entries.
    const excess = findExcess(schema, body);
    if (excess !== undefined) return { error: explain(body, [excess]) };
    return isValid(schema, body) ? true : { error: explain(body, findProblems(schema, body)) };
  };
};

/** Whether a body matches its schema. */
export function isValid(schema: TSchema, body: unknown): boolean {
  return validatorOf(schema).Check(body);
}

const validators = new WeakMap<TSchema, Validator>();

/** Compiles a validator for the first body that needs it, to keep the start fast. */
function validatorOf(schema: TSchema): Validator {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  return validator;
}

function explain(body: unknown, problems: readonly Problem[]): HttpError {
  if (body === null || body === undefined) {
    return new HttpError(400, "The body is missing: send a JSON object");
  }
  const [first] = problems;
  if (first === undefined) {
    return new HttpError(
      400,
      `Bad request: a value in the body has the wrong type. With more than ${MAX_EXPLAINED_VALUES} values, the proxy does not search for it: send fewer to see which one it is`,
    );
  }

  const subject = first.path === "" ? "the body" : `\`${first.path}\``;
  return new HttpError(400, `Bad request: ${subject} ${first.message}`, { problems });
}

function findProblems(schema: TSchema, body: unknown): readonly Problem[] {
  return hasManyValues(body) ? [] : toProblems(validatorOf(schema).Errors(body));
}

function hasManyValues(body: unknown): boolean {
  let count = 0;
  let level: readonly unknown[] = [body];
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    count += level.length;
    if (count > MAX_EXPLAINED_VALUES) return true;
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? (Object.values(value) as unknown[]) : [],
    );
  }
  return false;
}
