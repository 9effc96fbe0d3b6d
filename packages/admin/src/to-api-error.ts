import type { FastifyError } from "fastify";
import { explainFrameworkFailure, type FrameworkFailure } from "flags-server-kit/http";
import { ApiError, type ErrorName } from "./errors.ts";
import { toValidationFailure } from "./http/validation-failure.ts";
import { DiskFullError, isConnectionError, isDiskFull, isTimeout } from "./storage/errors.ts";

/** How clients know what the framework finds wrong. */
const NAME_BY_STATUS: Readonly<Record<FrameworkFailure["statusCode"], ErrorName>> = {
  400: "BadDataError",
  413: "PayloadTooLargeError",
  414: "UriTooLongError",
  415: "ContentTypeError",
};

/** Turns whatever was thrown into what the caller is told; the unforeseen becomes a bare 500. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isDiskFull(error)) return diskFull(error);
  if (isConnectionError(error) || isTimeout(error)) return databaseAway(error);
  if (!(error instanceof Error)) return internal(error);
  return fromFastify(error) ?? internal(error);
}

function fromFastify(error: Error & Partial<FastifyError>): ApiError | undefined {
  if (error.validation !== undefined) return toValidationFailure(error);
  const known = explainFrameworkFailure(error);
  if (known !== undefined) {
    return new ApiError(NAME_BY_STATUS[known.statusCode], known.message, { cause: error });
  }
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

/** Seconds after which a client may try again; somebody has to free disk space first. */
const DISK_FULL_RETRY_AFTER_SECONDS = 10;

/** What a client gets when something cannot be stored because a disk is full. */
function diskFull(cause?: unknown): ApiError {
  return new ApiError(
    "InsufficientStorageError",
    "There is not enough disk space, so nothing was stored or changed. Flags can still be read. Try again once the operator has freed disk space",
    {
      headers: { "retry-after": String(DISK_FULL_RETRY_AFTER_SECONDS) },
      // The storage logs once that it refuses writes, instead of once per request.
      ...(!(cause instanceof DiskFullError) && { cause }),
    },
  );
}

function internal(cause: unknown): ApiError {
  return new ApiError("InternalError", "Something went wrong inside the service", { cause });
}
