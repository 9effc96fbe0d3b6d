import type { GuessProblem } from "flags-server-kit/neutral";

/** Error names of the wire protocol, with their statuses. */
const STATUS_BY_NAME = {
  BadDataError: 400,
  ExceedsLimitError: 400,
  ArchivedFeatureError: 400,
  AuthenticationRequired: 401,
  UnauthorizedError: 401,
  PasswordMismatch: 401,
  InvalidTokenError: 401,
  PermissionError: 403,
  InvalidOperationError: 403,
  UsedTokenError: 403,
  NotFoundError: 404,
  MethodNotAllowedError: 405,
  RequestTimeoutError: 408,
  NameExistsError: 409,
  ConflictError: 409,
  PreconditionFailedError: 412,
  PayloadTooLargeError: 413,
  UriTooLongError: 414,
  ContentTypeError: 415,
  RangeNotSatisfiableError: 416,
  MisdirectedRequestError: 421,
  RateLimitError: 429,
  HeadersTooLargeError: 431,
  InternalError: 500,
  ServiceUnavailableError: 503,
  OverloadError: 503,
  InsufficientStorageError: 503,
  TooManyStreamsError: 503,
} as const;

export type ErrorName = keyof typeof STATUS_BY_NAME;

/** A problem and its location, such as `/body/features`. */
export interface ErrorDetail {
  readonly message: string;
  readonly path?: string;
  /** What somebody else has changed meanwhile: what it was when a change was requested, and what it is now. */
  readonly conflict?: { readonly was: unknown; readonly now: unknown };
}

interface ApiErrorOptions {
  readonly details?: readonly ErrorDetail[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error that is sent to the client. The message says what is wrong and how to correct it. */
export class ApiError extends Error {
  override readonly name: ErrorName;
  readonly statusCode: number;
  readonly details: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(name: ErrorName, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = name;
    this.statusCode = STATUS_BY_NAME[name];
    this.details = options.details ?? [{ message }];
    this.headers = options.headers ?? {};
  }
}

/** Creates the 401 for a token that cannot be used. It does not say why, because anyone could have sent it. */
export function unusableToken(): ApiError {
  return new ApiError(
    "UnauthorizedError",
    "The token is unknown, expired or revoked: check that it is complete, or create a new one",
  );
}

export function sessionEnded(): ApiError {
  return new ApiError("UnauthorizedError", "The session has ended: sign in again");
}

/**
 * Creates a 400 for one invalid value.
 *
 * @param path location of the value, such as `/body/name`
 */
export function badData(path: string, message: string): ApiError {
  return new ApiError("BadDataError", `Bad request: ${path} ${message}`, {
    details: [{ message, path }],
  });
}

/**
 * Creates a 400 for a value that names something unknown.
 *
 * @param kind such as "environment"
 */
export function mustExist(path: string, kind: string, name: string): ApiError {
  return badData(path, `must exist: there is no ${kind} ${JSON.stringify(name)}`);
}

export function notFound(message: string): ApiError {
  return new ApiError("NotFoundError", message);
}

/** Creates the 404 for a project that does not exist, or not for the caller. */
export function unknownProject(id: string): ApiError {
  return notFound(`There is no project ${JSON.stringify(id)}`);
}

export function unknownFeature(name: string): ApiError {
  return notFound(`There is no flag ${JSON.stringify(name)}`);
}

export function unknownSegment(id: number): ApiError {
  return notFound(`There is no segment ${id}`);
}

export function unknownContextField(name: string): ApiError {
  return notFound(`There is no context field ${JSON.stringify(name)}`);
}

export function nameExists(message: string): ApiError {
  return new ApiError("NameExistsError", message);
}

/** Creates a 403 for a request that violates a rule, regardless of the token. */
export function invalidOperation(message: string): ApiError {
  return new ApiError("InvalidOperationError", message);
}

/** Creates a 421 for a request that names another host. */
export function misdirected(): ApiError {
  return new ApiError(
    "MisdirectedRequestError",
    "The `Host` of this request is not a name of this service: add it to ALLOWED_HOSTS, without its port, or set PUBLIC_URL to the address that browsers use",
  );
}

/** @param resources in the plural, such as "segments" */
export function exceedsLimit(resources: string, limit: number): ApiError {
  return new ApiError("ExceedsLimitError", `There can be at most ${limit} ${resources}`);
}

/** Creates a 503 for a body that arrives while too many others are being read. */
export function tooManyBodies(): ApiError {
  return new ApiError(
    "OverloadError",
    "Too many large request bodies are being handled: try again in a second. Send only one large import at a time",
    { headers: { "retry-after": "1" } },
  );
}

/** Creates a 429 for a client that sent too many unknown tokens. */
export function tooManyGuesses({ message, retryAfterSeconds }: GuessProblem): ApiError {
  return new ApiError("RateLimitError", message, {
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

/** Lists the first ten names for an error message, and the number of the others. */
export function quoteNames(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => JSON.stringify(name));
  const hidden = names.length - shown.length;
  return hidden === 0 ? shown.join(", ") : `${shown.join(", ")} and ${hidden} more`;
}
