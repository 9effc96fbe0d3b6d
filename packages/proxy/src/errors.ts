/** One thing wrong in a request: where, and what is expected there. */
export interface Problem {
  /** Where in the body or the query, such as `context.userId`; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/** The body of every answer that is not a success. */
export interface ErrorBody {
  readonly error: string;
  readonly validation?: readonly Problem[];
}

interface HttpErrorDetails {
  readonly problems?: readonly Problem[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** A failure that is told to the caller: its message says what is wrong and how to mend it. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly statusCode: number;
  readonly problems: readonly Problem[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(statusCode: number, message: string, details: HttpErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.statusCode = statusCode;
    this.problems = details.problems ?? [];
    this.headers = details.headers ?? {};
  }

  toBody(): ErrorBody {
    return this.problems.length === 0
      ? { error: this.message }
      : { error: this.message, validation: this.problems };
  }
}

/** A 400 that names the one place at fault. */
export function badField(path: string, message: string): HttpError {
  return new HttpError(400, `Bad request: \`${path}\` ${message}`, {
    problems: [{ path, message }],
  });
}

/** The answer to everything before flags have been received. */
export function notReady(): HttpError {
  return new HttpError(
    503,
    "The proxy has not synchronized with its upstream yet; try again in a moment",
    { headers: { "retry-after": "1" } },
  );
}

const NOT_JSON = "The body must be JSON: send it with `Content-Type: application/json`";

/** The answer to a body of another type. */
export function notJson(): HttpError {
  return new HttpError(415, NOT_JSON);
}

/** Largest request body that is read. */
export const BODY_LIMIT_BYTES = 1024 * 1024;

type Failure = readonly [statusCode: number, message: string];

// What Fastify and its plugins throw before a handler of ours runs, in our words.
const KNOWN_FAILURES: Readonly<Record<string, Failure>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    413,
    `The body is too large: at most ${BODY_LIMIT_BYTES / 1024} KiB are accepted`,
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, NOT_JSON],
  FST_ERR_CTP_EMPTY_JSON_BODY: [400, "The body is missing: send a JSON object"],
  FST_ERR_CTP_INVALID_JSON_BODY: [
    400,
    "The body is not valid JSON: check quotes, commas and brackets",
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    400,
    "The body does not have the length that `Content-Length` announces",
  ],
  FST_CP_ERR_INVALID_CONTENT_ENCODING: [
    415,
    "The body is encoded in a way that is not understood: send it plain, or with gzip, deflate or br",
  ],
  FST_CP_ERR_INVALID_CONTENT: [
    400,
    "The body cannot be decompressed: it is not what `Content-Encoding` announces",
  ],
  FST_ERR_BAD_URL: [400, "The path is not valid percent-encoding: write a literal `%` as `%25`"],
  FST_ERR_MAX_PARAM_LENGTH: [414, "A part of the path is too long"],
};

interface CodedError extends Error {
  readonly code?: unknown;
  readonly statusCode?: unknown;
}

/** Turns whatever was thrown into what the caller is told; the unforeseen becomes a bare 500. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (!(error instanceof Error)) return internal(error);

  const { code, statusCode }: CodedError = error;
  const known = knownFailure(code);
  if (known !== undefined) return new HttpError(known[0], known[1], { cause: error });
  if (typeof statusCode === "number" && statusCode >= 400 && statusCode < 500) {
    return new HttpError(statusCode, error.message, { cause: error });
  }
  return internal(error);
}

function knownFailure(code: unknown): Failure | undefined {
  return typeof code === "string" && Object.hasOwn(KNOWN_FAILURES, code)
    ? KNOWN_FAILURES[code]
    : undefined;
}

function internal(cause: unknown): HttpError {
  return new HttpError(500, "Something went wrong inside the proxy", { cause });
}
