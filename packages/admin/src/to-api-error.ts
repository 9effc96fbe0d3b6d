import type { FastifyError } from "fastify";
import { ApiError, type ErrorName } from "./errors.ts";
import { toValidationFailure } from "./http/validation-failure.ts";
import { isConnectionFailure, isTimeout } from "./storage/connection-failure.ts";

/** Largest request body that is read. */
export const BODY_LIMIT_BYTES = 1024 * 1024;

// What Fastify throws before a handler of ours runs, in our words.
const KNOWN_FAILURES: Readonly<Record<string, readonly [name: ErrorName, message: string]>> = {
  FST_ERR_BAD_URL: [
    "BadDataError",
    "The path is not valid percent-encoding: write a literal `%` as `%25`",
  ],
  FST_ERR_CTP_BODY_TOO_LARGE: [
    "PayloadTooLargeError",
    `The body is too large: at most ${BODY_LIMIT_BYTES / 1024} KiB are accepted`,
  ],
  FST_ERR_CTP_EMPTY_JSON_BODY: ["BadDataError", "The body is missing: send JSON"],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    "BadDataError",
    "The body does not have the length that `Content-Length` announces",
  ],
  FST_ERR_CTP_INVALID_JSON_BODY: [
    "BadDataError",
    "The body is not valid JSON: check quotes, commas and brackets",
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    "ContentTypeError",
    "The body must be JSON: send it with `Content-Type: application/json`",
  ],
  FST_ERR_MAX_PARAM_LENGTH: ["UriTooLongError", "A part of the path is too long"],
};

/** Turns whatever was thrown into what the caller is told; the unforeseen becomes a bare 500. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isConnectionFailure(error) || isTimeout(error)) return databaseAway(error);
  if (!(error instanceof Error)) return internal(error);
  return fromFastify(error) ?? internal(error);
}

function fromFastify(error: Error & Partial<FastifyError>): ApiError | undefined {
  if (error.validation !== undefined) return toValidationFailure(error);
  const known = error.code === undefined ? undefined : KNOWN_FAILURES[error.code];
  if (known !== undefined) return new ApiError(known[0], known[1], { cause: error });
  // The JSON parser reports in its own way what is not JSON, or names a prototype.
  return error.statusCode === 400 && error instanceof SyntaxError
    ? new ApiError("BadDataError", "The body is not JSON that can be accepted", { cause: error })
    : undefined;
}

function databaseAway(cause: unknown): ApiError {
  return new ApiError(
    "ServiceUnavailableError",
    "The database is away. A change that was sent may or may not have been made: look before you repeat it",
    { headers: { "retry-after": "1" }, cause },
  );
}

function internal(cause: unknown): ApiError {
  return new ApiError("InternalError", "Something went wrong inside the service", { cause });
}
