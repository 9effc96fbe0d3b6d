import { ClientSpecError } from "flags-engine";
import { type GuessProblem, NOT_JSON, SMALL_BODY_BYTES } from "flags-server-kit/neutral";

/** One invalid value in a request. */
export interface Problem {
  /** Its path in the body or query, such as `context.userId`; empty for the whole body. */
  readonly path: string;
  readonly message: string;
}

/** The body of an error response, unless a protocol has its own format. */
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

/** An error for the client: the message names the problem and how to fix it. */
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

/** A 400 for one invalid value. */
export function badField(path: string, message: string): HttpError {
  return new HttpError(400, `Bad request: \`${path}\` ${message}`, {
    problems: [{ path, message }],
  });
}

/** A 404 for a flag that was requested by name. */
export function unknownFlag(name: string): HttpError {
  return new HttpError(
    404,
    `There is no flag called \`${name}\`: check its spelling, and which projects and tags the proxy serves`,
    { errorCode: "FLAG_NOT_FOUND" },
  );
}

/** A 403 for a client whose address is in a deny list, or not in the allow list. */
export function addressNotAllowed(): HttpError {
  return new HttpError(
    403,
    "Requests from this address are not allowed: contact the operator of this proxy",
  );
}

/** A 404 for a path without a route. */
export function unknownPath(path?: string): HttpError {
  // Where the upstream serves all of its APIs.
  const hint =
    path?.endsWith("/api") === true
      ? "client SDKs use `/api/frontend` or `/proxy`"
      : "check the path and the base path";
  return new HttpError(404, `No such path: ${hint}`);
}

/** A 421 for a request to an operational endpoint that names another host. */
export function misdirected(): HttpError {
  return new HttpError(
    421,
    "The `Host` of this request is not a name of this proxy: add it to `allowedHosts` (ALLOWED_HOSTS), without its port",
  );
}

/** A 503 for all requests until the proxy has flags. */
export function notReady(): HttpError {
  return new HttpError(
    503,
    "The proxy has not synchronized with its upstream yet: try again in a moment",
    { headers: { "retry-after": "1" } },
  );
}

/** A 503 for readiness probes during a shutdown. */
export function shuttingDown(): HttpError {
  return new HttpError(503, "The proxy is shutting down: send requests to another replica");
}

/** A 503 for readiness probes while flags are older than allowed. */
export function tooStale(ageMs: number | undefined, maxStalenessMs: number): HttpError {
  const age =
    ageMs === undefined
      ? "The flags have not been confirmed since the start"
      : `The flags were last confirmed ${Math.round(ageMs / 1000)} s ago`;
  return new HttpError(
    503,
    `${age}, and FLAGS_MAX_STALENESS allows ${maxStalenessMs / 1000} s: check the upstream`,
  );
}

/**
 * For errors of a body, the rest of which may still be arriving: the next request of the connection would have to wait
 * for it.
 */
const CLOSING = { connection: "close" };

/** A 503 for a body while too many others are being handled. */
export function tooManyBodies(): HttpError {
  return new HttpError(
    503,
    "Too many long request bodies are being handled at the moment: try again in a second. Bodies of up to " +
      `${SMALL_BODY_BYTES / 1024} KiB are always read if they are not compressed`,
    { headers: { "retry-after": "1" } },
  );
}

/** A 415 for a body in a content coding that the proxy does not read. */
export function unsupportedCoding(): HttpError {
  return new HttpError(
    415,
    "The encoding of the body is not supported: send it uncompressed, or with gzip or deflate",
  );
}

/** A 400 for a compressed body that cannot be decompressed. */
export function notDecompressible(cause: unknown): HttpError {
  return new HttpError(
    400,
    "The body cannot be decompressed: it does not match its `Content-Encoding`",
    { cause, headers: CLOSING },
  );
}

/** A 413 for a body that becomes too long when it is decompressed. */
export function compressedBodyTooLarge(maxExpansion: number): HttpError {
  return new HttpError(
    413,
    `The compressed body is too large: decompressed, it may be at most ${maxExpansion} times as long as its \`Content-Length\`, plus ${SMALL_BODY_BYTES / 1024} KiB. Send it uncompressed`,
    { headers: CLOSING },
  );
}

const MAX_RETRY_AFTER_SECONDS = 60;

/** A 503 for usage that does not fit into the buffer. */
export function tooMuchUsage(metricsIntervalMs: number): HttpError {
  const seconds = Math.ceil(metricsIntervalMs / 1000);
  const retryAfter = Math.min(Math.max(seconds, 1), MAX_RETRY_AFTER_SECONDS);
  return new HttpError(
    503,
    "Too much usage is waiting to be sent upstream. This report was not counted: send it again later. " +
      "A shorter `metricsInterval` (FLAGS_METRICS_INTERVAL) empties the buffer more often",
    { headers: { "retry-after": String(retryAfter) } },
  );
}

/** A 503 for explanations while too many others are being made. */
export function tooManyExplanations(): HttpError {
  return new HttpError(503, "Too many explanations are being created at the moment: try again", {
    headers: { "retry-after": "1" },
  });
}

/** A 503 for a stream when a limit is reached or the proxy is shutting down. */
export function streamLimitReached(retryAfterSeconds: number): HttpError {
  return new HttpError(
    503,
    "The proxy cannot open another stream now: poll for flags in the meantime, and try again later",
    { headers: { "retry-after": String(retryAfterSeconds) } },
  );
}

/** How to enable the endpoints with all toggles. */
export const ENABLE_ALL_HINT = "set `enableAllEndpoint` (ENABLE_ALL_ENDPOINT) to true";

/** A 501 for a feature that a setting enables. */
export function notEnabled(subject: string, hint: string): HttpError {
  return new HttpError(501, `${subject} is not enabled: ${hint}`);
}

/** A 501 for a stream on a runtime without streams. */
export function streamsNotAvailable(): HttpError {
  return notEnabled("Streaming", "poll, or use a proxy that runs as a server");
}

/** A 403 for something that the access file does not allow for the key. */
export function notAllowed(action: string, field: string): HttpError {
  return new HttpError(403, `This key cannot ${action}: see \`${field}\` in the access file`);
}

/** A 401 for a key that the upstream may know, but whose flags this proxy does not have. */
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

/** A 503 for a key that cannot be verified now. */
export function verificationUnavailable(retryAfterSeconds: number): HttpError {
  return new HttpError(
    503,
    "The key is not known yet, and the upstream cannot verify it at the moment: try again later",
    { headers: { "retry-after": String(retryAfterSeconds) } },
  );
}

/** A 401 for a context without a signature. */
export function notSigned(fields: readonly string[]): HttpError {
  return new HttpError(
    401,
    `This key requires a signed context (${fields.join(", ")}): send the signature in the property \`contextSignature\` of the context, or in the header \`x-flags-context-signature\``,
  );
}

/**
 * A 401 for a signature that is not accepted.
 *
 * @param problem completes "The signature of the context …"
 */
export function invalidSignature(problem: string, cause?: unknown): HttpError {
  return new HttpError(401, `The signature of the context ${problem}`, { cause });
}

const STREAM_TOKEN_HINT = "request a new URL by sending `POST` with a client key to this path";

/** A 401 for a stream token that cannot be opened, or whose client key is not valid. */
export function invalidStreamToken(): HttpError {
  return new HttpError(
    401,
    `The \`token\` in the URL is missing or not valid: ${STREAM_TOKEN_HINT}`,
  );
}

/** A 401 for a stream token that has expired. */
export function expiredStreamToken(): HttpError {
  return new HttpError(401, `The \`token\` in the URL has expired: ${STREAM_TOKEN_HINT}`);
}

/** A 429 for a client that sent too many unknown tokens. */
export function tooManyGuesses({ message, retryAfterSeconds }: GuessProblem): HttpError {
  return new HttpError(429, message, { headers: { "retry-after": String(retryAfterSeconds) } });
}

/** A 415 for a body that is not JSON. */
export function notJson(): HttpError {
  return new HttpError(415, NOT_JSON, { headers: CLOSING });
}

/** A 405 for a path that has other methods. */
export function wrongMethod(method: string, allowed: readonly string[]): HttpError {
  const list = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(allowed);
  const message = `This path does not support ${method}: use ${list}`;
  return new HttpError(405, message, { headers: { allow: allowed.join(", ") } });
}

/** A 400 for a path that cannot be decoded. */
export function invalidPath(): HttpError {
  return new HttpError(
    400,
    "The path contains invalid percent-encoding: write a literal `%` as `%25`",
  );
}

/** A 414 for a parameter in a path. */
export function pathTooLong(): HttpError {
  return new HttpError(414, "A part of the path is too long: shorten it");
}

/** A 413 for a body that exceeds the limit of its route. */
export function bodyTooLarge(limitBytes: number): HttpError {
  return new HttpError(
    413,
    `The body is too large: at most ${limitBytes / 1024} KiB are accepted`,
    { headers: CLOSING },
  );
}

/** A 400 for a body that could not be read to its end, usually because the client has left. */
export function bodyIncomplete(cause: unknown): HttpError {
  return new HttpError(400, "The body did not arrive completely: send it again", { cause });
}

/** A 400 for a request without a body where one is required. */
export function bodyMissing(): HttpError {
  return new HttpError(400, "The body is missing: send a JSON object");
}

/** A 400 for a body that cannot be parsed. */
export function invalidJson(cause: unknown): HttpError {
  return new HttpError(400, "The body is not valid JSON: check quotes, commas and brackets", {
    cause,
    headers: CLOSING,
  });
}

/** Converts anything that was thrown to an error for the client; unexpected errors become a bare 500. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof ClientSpecError) return badClientSpec(error);
  return new HttpError(500, "Internal error", { cause: error });
}

function badClientSpec({ message }: ClientSpecError): HttpError {
  return new HttpError(400, `Bad request: \`Unleash-Client-Spec\` ${message}`);
}
