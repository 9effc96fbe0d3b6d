import { explainFrameworkFailure, NOT_JSON } from "flags-server-kit/http";

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

/** What a failure is called in the protocols that have codes for them, where its status is not enough. */
export type ErrorCode = "FLAG_NOT_FOUND" | "PARSE_ERROR";

interface HttpErrorDetails {
  readonly errorCode?: ErrorCode;
  readonly problems?: readonly Problem[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** A failure that is told to the caller: its message says what is wrong and how to mend it. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly statusCode: number;
  /** NOTE: not `code`, into which the framework writes one of its own. */
  readonly errorCode: ErrorCode | undefined;
  readonly problems: readonly Problem[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(statusCode: number, message: string, details: HttpErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.statusCode = statusCode;
    this.errorCode = details.errorCode;
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

/** The answer to a flag that was asked for by its name, and is not known. */
export function unknownFlag(name: string): HttpError {
  return new HttpError(
    404,
    `There is no flag called \`${name}\`: check its spelling, and which flags the proxy is to know`,
    { errorCode: "FLAG_NOT_FOUND" },
  );
}

/** The answer to everything before flags have been received. */
export function notReady(): HttpError {
  return new HttpError(
    503,
    "The proxy has not synchronized with its upstream yet; try again in a moment",
    { headers: { "retry-after": "1" } },
  );
}

/** Rejects a body because too many others are arriving. */
export function tooManyBodies(): HttpError {
  return new HttpError(
    503,
    "Too many long request bodies are arriving at the moment: try again in a second. Bodies of up to " +
      "16 KiB with a `Content-Length` are always read",
    { headers: { "retry-after": "1" } },
  );
}

const MAX_RETRY_AFTER_SECONDS = 60;

/** The response to usage that exceeds what its key may have in the buffer. */
export function tooMuchUsage(metricsIntervalMs: number): HttpError {
  const seconds = Math.ceil(metricsIntervalMs / 1000);
  const retryAfter = Math.min(Math.max(seconds, 1), MAX_RETRY_AFTER_SECONDS);
  return new HttpError(
    503,
    "Too much usage that was reported with this key is waiting to be sent upstream. Nothing of this " +
      "report was counted: send it again later. With a shorter `metricsInterval` " +
      "(FLAGS_METRICS_INTERVAL) less has to wait",
    { headers: { "retry-after": String(retryAfter) } },
  );
}

/** Rejects a stream because a limit is reached or the proxy is shutting down. */
export function streamLimitReached(retryAfterSeconds: number): HttpError {
  return new HttpError(
    503,
    "The proxy cannot open another stream now: try again later, and poll with `GET /proxy` meanwhile",
    { headers: { "retry-after": String(retryAfterSeconds) } },
  );
}

/** How the endpoint of all toggles is switched on, in words. */
export const SWITCH_ALL_ON = "set `enableAllEndpoint` (ENABLE_ALL_ENDPOINT) to true";

/** The answer where nothing is served before a setting is changed. */
export function notSwitchedOn(subject: string, advice: string): HttpError {
  return new HttpError(501, `${subject} is not switched on: ${advice}`);
}

/** The answer to a body of another type. */
export function notJson(): HttpError {
  return new HttpError(415, NOT_JSON);
}

interface FaultOfCaller extends Error {
  readonly statusCode?: unknown;
}

/** Turns whatever was thrown into what the caller is told; the unforeseen becomes a bare 500. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (!(error instanceof Error)) return internal(error);

  const known = explainFrameworkFailure(error);
  if (known !== undefined) return new HttpError(known.statusCode, known.message, { cause: error });
  const { statusCode }: FaultOfCaller = error;
  if (typeof statusCode === "number" && statusCode >= 400 && statusCode < 500) {
    return new HttpError(statusCode, error.message, { cause: error });
  }
  return internal(error);
}

function internal(cause: unknown): HttpError {
  return new HttpError(500, "Something went wrong inside the proxy", { cause });
}
