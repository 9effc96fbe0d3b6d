import type { FastifyError } from "fastify";
import { ClientSpecError, NAME_PATTERN } from "flags-engine";
import { rewordSchemaMessage } from "flags-server-kit/neutral";
import { explainFrameworkFailure, type FrameworkFailure } from "./framework-failure.ts";
import { ApiError, badData, type ErrorDetail, type ErrorName } from "../errors.ts";
import {
  DiskFullError,
  isConnectionError,
  isDiskFull,
  isTimeout,
  UnknownOutcomeError,
} from "../storage/errors.ts";
import { NAME_RULE, TAG_VALUE_PATTERN, TAG_VALUE_RULE } from "./names.ts";
import type { SchemaViolation } from "./validation.ts";

/** Names of the errors that the framework detects. */
const NAME_BY_STATUS: Readonly<Record<FrameworkFailure["statusCode"], ErrorName>> = {
  400: "BadDataError",
  413: "PayloadTooLargeError",
  414: "UriTooLongError",
  415: "ContentTypeError",
};

interface FailedRequest {
  /** The limit of the route. @default the limit of the app */
  readonly bodyLimitBytes?: number | undefined;
}

/** Converts anything thrown to an error for the client. An unknown error becomes a 500 without details. */
export function toApiError(error: unknown, { bodyLimitBytes }: FailedRequest = {}): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ClientSpecError) return badClientSpec(error);
  if (isDiskFull(error)) return diskFull(error);
  if (isConnectionError(error) || isTimeout(error)) return databaseUnavailable(error);
  if (!(error instanceof Error)) return internal(error);
  return fromFastify(error, bodyLimitBytes) ?? internal(error);
}

function fromFastify(
  error: Error & Partial<FastifyError>,
  bodyLimitBytes: number | undefined,
): ApiError | undefined {
  if (error.validation !== undefined) {
    return toValidationError(ROOTS[error.validationContext ?? ""] ?? "", error.validation, error);
  }
  const known = explainFrameworkFailure(error, bodyLimitBytes);
  if (known === undefined) return fromFileServer(error);
  return new ApiError(NAME_BY_STATUS[known.statusCode], known.message, { cause: error });
}

/** NOTE: only errors of the library that sends files have the property `expose`. */
function fromFileServer(error: Error & Partial<FastifyError>): ApiError | undefined {
  return "expose" in error ? FILE_ERRORS.get(error.statusCode) : undefined;
}

const NO_FILE = new ApiError("NotFoundError", "No such path");

/** Errors of requests for files, by the status of the error that the library throws. */
const FILE_ERRORS: ReadonlyMap<number | undefined, ApiError> = new Map([
  // The path contains NUL, or leads out of the folder.
  [400, NO_FILE],
  [403, NO_FILE],
  [
    412,
    new ApiError(
      "PreconditionFailedError",
      "The file has a different version from the one that `If-Match` or `If-Unmodified-Since` requires",
    ),
  ],
  [416, new ApiError("RangeNotSatisfiableError", "The file ends before the range in `Range`")],
]);

function badClientSpec({ message }: ClientSpecError): ApiError {
  return badData("/headers/unleash-client-spec", message);
}

function databaseUnavailable(cause: unknown): ApiError {
  const change =
    ". The change in this request may or may not have been stored: check before you repeat it";
  return new ApiError(
    "ServiceUnavailableError",
    `The database is unavailable${cause instanceof UnknownOutcomeError ? change : ""}`,
    { headers: { "retry-after": "1" }, cause },
  );
}

/** Longer than for other errors, because an operator has to free disk space first. */
export const DISK_FULL_RETRY_AFTER_SECONDS = 10;

function diskFull(cause?: unknown): ApiError {
  return new ApiError(
    "InsufficientStorageError",
    "There is not enough disk space, so nothing was stored or changed. Flags can still be read. Try again after the operator has freed disk space",
    {
      headers: { "retry-after": String(DISK_FULL_RETRY_AFTER_SECONDS) },
      // Without a cause the error is not logged: the storage has logged once that it rejects writes.
      ...(!(cause instanceof DiskFullError) && { cause }),
    },
  );
}

function internal(cause: unknown): ApiError {
  return new ApiError(
    "InternalError",
    "An internal error occurred. The log of the service describes it under the id of this response",
    { cause },
  );
}

const ROOTS: Readonly<Record<string, string>> = {
  body: "/body",
  headers: "/headers",
  params: "/params",
  querystring: "/query",
};

/**
 * Creates a 400 for a value that does not match its schema.
 *
 * @param root path of the value in the request
 */
export function toValidationError(
  root: string,
  violations: readonly SchemaViolation[],
  cause?: Error,
): ApiError {
  const details = violations.map((violation) => toDetail(root, violation));
  const [first] = details;
  return new ApiError(
    "BadDataError",
    `Bad request: ${first?.path ?? root} ${first?.message ?? "is invalid"}`,
    { details, cause },
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
    return { path: `${path}/${additionalProperty}`, message: "is unknown" };
  }
  return { path, message: explain(violation) };
}

/** Explanations of patterns, which few users can read. */
const PATTERN_RULES: ReadonlyMap<unknown, string> = new Map([
  [NAME_PATTERN, NAME_RULE],
  [TAG_VALUE_PATTERN, TAG_VALUE_RULE],
]);

function explain({ keyword, message, params }: SchemaViolation): string {
  const { allowedValues, pattern } = params;
  if (keyword === "enum" && Array.isArray(allowedValues)) {
    return `must be one of ${allowedValues.join(", ")}`;
  }
  return PATTERN_RULES.get(pattern) ?? rewordSchemaMessage(message ?? "is invalid");
}
