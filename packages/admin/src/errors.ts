/** Kinds of failure, by the names that clients of the wire protocol know, and their status. */
const STATUS_BY_NAME = {
  BadDataError: 400,
  ExceedsLimitError: 400,
  ArchivedFeatureError: 400,
  AuthenticationRequired: 401,
  UnauthorizedError: 401,
  PermissionError: 403,
  InvalidOperationError: 403,
  NotFoundError: 404,
  MethodNotAllowedError: 405,
  RequestTimeoutError: 408,
  NameExistsError: 409,
  ConflictError: 409,
  PayloadTooLargeError: 413,
  UriTooLongError: 414,
  ContentTypeError: 415,
  RateLimitError: 429,
  HeadersTooLargeError: 431,
  InternalError: 500,
  ServiceUnavailableError: 503,
  OverloadError: 503,
  InsufficientStorageError: 503,
  TooManyStreamsError: 503,
} as const;

export type ErrorName = keyof typeof STATUS_BY_NAME;

/** One thing that is wrong, and where, such as `/body/features`. */
export interface ErrorDetail {
  readonly message: string;
  readonly path?: string;
}

interface ApiErrorOptions {
  readonly details?: readonly ErrorDetail[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** A failure that is told to the caller: its message says what is wrong and how to mend it. */
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

/** A 400 that names the one place at fault, such as `/body/name`. */
export function badData(path: string, message: string): ApiError {
  return new ApiError("BadDataError", `Bad request: ${path} ${message}`, {
    details: [{ message, path }],
  });
}

export function notFound(message: string): ApiError {
  return new ApiError("NotFoundError", message);
}

export function nameExists(message: string): ApiError {
  return new ApiError("NameExistsError", message);
}

/** What is asked for goes against a rule, whoever asks. */
export function invalidOperation(message: string): ApiError {
  return new ApiError("InvalidOperationError", message);
}

export function exceedsLimit(what: string, limit: number): ApiError {
  return new ApiError("ExceedsLimitError", `There can be at most ${limit} ${what}`);
}

/** Rejects a body because too many others are arriving. */
export function tooManyBodies(): ApiError {
  return new ApiError(
    "OverloadError",
    "Too many long request bodies are arriving at the moment: try again in a second",
    { headers: { "retry-after": "1" } },
  );
}
