import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { HttpError } from "../errors.ts";
import { toProblems } from "./problems.ts";

/** Up to how many values a body may have for its problems to be listed: finding all is expensive. */
const MAX_EXPLAINED_VALUES = 2000;

/**
 * Checks bodies against their schema: nothing is converted, removed or filled in. Queries have a
 * parser of their own, whose errors say more; their schemas describe them in the OpenAPI document.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart !== "body") return () => true;

  const validator = Compile(schema);
  return (body: unknown) => (validator.Check(body) ? true : { error: explain(validator, body) });
};

function explain(validator: Validator, body: unknown): HttpError {
  if (body === null || body === undefined) {
    return new HttpError(400, "The body is missing: send a JSON object");
  }
  const problems = hasManyValues(body) ? [] : toProblems(validator.Errors(body));
  const [first] = problems;
  if (first === undefined) return new HttpError(400, "Bad request: the body is not as documented");

  const subject = first.path === "" ? "the body" : `\`${first.path}\``;
  return new HttpError(400, `Bad request: ${subject} ${first.message}`, { problems });
}

function hasManyValues(body: unknown): boolean {
  const pending = [body];
  for (let count = 0; count < pending.length; count++) {
    if (count > MAX_EXPLAINED_VALUES) return true;
    const value = pending[count];
    if (typeof value !== "object" || value === null) continue;
    for (const child of Object.values(value)) pending.push(child);
  }
  return false;
}
