import { ClientSpecError } from "flags-engine";
import type { GuessProblem } from "flags-server-kit/neutral";

export interface Problem {
  /** Its path in the body or query, such as `context.userId`; empty for the whole body. */
  readonly path: string;
  readonly message: string;
}

interface ErrorBody {
  readonly error: string;
  readonly validation?: readonly Problem[];
}

/** The code of an error in protocols that have error codes, such as OFREP, where the status is not enough. */
type ErrorCode = "FLAG_NOT_FOUND" | "PARSE_ERROR";

interface HttpErrorDetails {
  readonly errorCode?: ErrorCode;
  readonly problems?: readonly Problem[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly statusCode: number;
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

export function badField(path: string, message: string): HttpError {
  return new HttpError(400, `Bad request: \`${path}\` ${message}`, {
    problems: [{ path, message }],
  });
}

export function unknownFlag(name: string): HttpError {
  return new HttpError(
    404,
    `There is no flag called \`${name}\`: check its spelling, and which projects and tags the proxy serves`,
    { errorCode: "FLAG_NOT_FOUND" },
  );
}

export function addressNotAllowed(): HttpError {
  return new HttpError(
    403,
    "Requests from this address are not allowed: contact the operator of this proxy",
  );
}

export function unavailable(message: string, retryAfterSeconds = 1): HttpError {
  return new HttpError(503, message, { headers: { "retry-after": String(retryAfterSeconds) } });
}

export function notReady(): HttpError {
  return unavailable("The proxy has not synchronized with its upstream yet: try again in a moment");
}

/** For errors of a body, the rest of which may still be arriving: the next request would have to wait for it. */
export const CLOSING = { connection: "close" };

export function unsupportedCoding(): HttpError {
  return new HttpError(
    415,
    "The encoding of the body is not supported: send it uncompressed, or with gzip or deflate",
  );
}

export function notDecompressible(cause: unknown): HttpError {
  return new HttpError(
    400,
    "The body cannot be decompressed: it does not match its `Content-Encoding`",
    { cause, headers: CLOSING },
  );
}

export const ENABLE_ALL_HINT = "set `enableAllEndpoint` (ENABLE_ALL_ENDPOINT) to true";

export function notEnabled(subject: string, hint: string): HttpError {
  return new HttpError(501, `${subject} is not enabled: ${hint}`);
}

/** For runtimes without streams. */
export function streamsNotAvailable(): HttpError {
  return notEnabled("Streaming", "poll, or use a proxy that runs as a server");
}

export function notAllowed(action: string, field: string): HttpError {
  return new HttpError(403, `This key cannot ${action}: see \`${field}\` in the access file`);
}

export function environmentNotServed(environment: string): HttpError {
  return new HttpError(
    401,
    `The key is for the environment \`${environment}\`, which this proxy does not serve: use a key of one of its environments`,
  );
}

/** A 401 for a key that the upstream has confirmed, but whose projects no source has together. */
export function projectsNotServed(): HttpError {
  return new HttpError(
    401,
    "The key is valid, but this proxy has no upstream token for all projects of the key: its operator can add one",
  );
}

export function verificationUnavailable(retryAfterSeconds: number): HttpError {
  return unavailable(
    "The key is not known yet, and the upstream cannot verify it at the moment: try again later",
    retryAfterSeconds,
  );
}

export function notSigned(fields: readonly string[]): HttpError {
  return new HttpError(
    401,
    `This key requires a signed context (${fields.join(", ")}): send the signature in the property \`contextSignature\` of the context, or in the header \`x-flags-context-signature\``,
  );
}

/** @param problem completes "The signature of the context …" */
export function invalidSignature(problem: string, cause?: unknown): HttpError {
  return new HttpError(401, `The signature of the context ${problem}`, { cause });
}

export const STREAM_TOKEN_HINT =
  "request a new URL by sending `POST` with a client key to this path";

export function invalidStreamToken(): HttpError {
  return new HttpError(
    401,
    `The \`token\` in the URL is missing or not valid: ${STREAM_TOKEN_HINT}`,
  );
}

export function tooManyGuesses({ message, retryAfterSeconds }: GuessProblem): HttpError {
  return new HttpError(429, message, { headers: { "retry-after": String(retryAfterSeconds) } });
}

export function bodyTooLarge(limitBytes: number): HttpError {
  return new HttpError(
    413,
    `The body is too large: at most ${limitBytes / 1024} KiB are accepted`,
    { headers: CLOSING },
  );
}

export function bodyIncomplete(cause: unknown): HttpError {
  return new HttpError(400, "The body did not arrive completely: send it again", { cause });
}

/** Converts anything that was thrown to an error for the client; unexpected errors become a bare 500. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof ClientSpecError) {
    return new HttpError(400, `Bad request: \`Unleash-Client-Spec\` ${error.message}`);
  }
  return new HttpError(500, "Internal error", { cause: error });
}
