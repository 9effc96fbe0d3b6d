import type { HttpError } from "../../errors.ts";

/** The codes that OFREP has for failures. */
type OfrepErrorCode = "PARSE_ERROR" | "INVALID_CONTEXT" | "FLAG_NOT_FOUND" | "GENERAL";

interface OfrepFailureBody {
  /** The flag that was asked for, if it was one. */
  readonly key?: string;
  readonly errorCode: OfrepErrorCode;
  readonly errorDetails: string;
}

/**
 * Writes a failure the way OFREP has it. Every kind of it gets the same fields, more than it must
 * have: some providers show no message without a code.
 */
export function toOfrepFailure(failure: HttpError, key: string | undefined): OfrepFailureBody {
  return {
    ...(key !== undefined && { key }),
    errorCode: failure.errorCode ?? codeOf(failure),
    errorDetails: failure.message,
  };
}

/** NOTE: there is nothing but a context in a body, so what is wrong in a sound one is that. */
function codeOf({ statusCode, problems }: HttpError): OfrepErrorCode {
  if (statusCode !== 400) return "GENERAL";
  return problems.length > 0 ? "INVALID_CONTEXT" : "PARSE_ERROR";
}
