import type { FastifyError } from "fastify";
import { ApiError, type ErrorDetail } from "../errors.ts";
import { NAME_PATTERN, NAME_RULE } from "./names.ts";

type SchemaViolation = NonNullable<FastifyError["validation"]>[number];

const ROOTS: Readonly<Record<string, string>> = {
  body: "/body",
  headers: "/headers",
  params: "/params",
  querystring: "/query",
};

/** A 400 for a request that does not fit the schema of its route. */
export function toValidationFailure(error: Error & Partial<FastifyError>): ApiError {
  const root = ROOTS[error.validationContext ?? ""] ?? "";
  const details = (error.validation ?? []).map((violation) => toDetail(root, violation));
  const [first] = details;
  return new ApiError(
    "BadDataError",
    `Bad request: ${first?.path ?? root} ${first?.message ?? "is not as it should be"}`,
    { details, cause: error },
  );
}

function toDetail(root: string, violation: SchemaViolation): ErrorDetail {
  const { instancePath, params } = violation;
  const path = `${root}${instancePath}`;
  const { missingProperty, additionalProperty } = params;
  if (typeof missingProperty === "string") {
    return { path: `${path}/${missingProperty}`, message: "is missing" };
  }
  if (typeof additionalProperty === "string") {
    return { path: `${path}/${additionalProperty}`, message: "is not known here" };
  }
  return { path, message: explain(violation) };
}

function explain({ keyword, message, params }: SchemaViolation): string {
  const { allowedValues, pattern } = params;
  if (keyword === "enum" && Array.isArray(allowedValues)) {
    return `must be one of ${allowedValues.join(", ")}`;
  }
  if (keyword === "pattern" && pattern === NAME_PATTERN) {
    return NAME_RULE;
  }
  return message ?? "is not as it should be";
}
