import { DocumentError } from "flags-engine";

/**
 * Why a call to the upstream failed, or loading the bootstrap.
 *
 * - `STATUS`: the response status is not a success.
 * - `NETWORK`: the connection failed or broke.
 * - `TIMEOUT`: no complete response in time.
 * - `TOO_LARGE`: the response exceeds the size limit.
 * - `REDIRECT`: a redirect to another origin, or too many redirects.
 * - `HEADERS`: the application's header function failed.
 * - `DOCUMENT`: the response is not a usable document.
 * - `OLDER`: the flags were confirmed earlier than the current ones: another upstream behind the address is behind.
 * - `NOT_OFFERED`: the upstream does not offer deltas or streams; flags are polled instead.
 * - `FILE`: the bootstrap file, or data in its place, is not usable; no call has failed.
 * - `INTERNAL`: an unexpected error in this process.
 */
export type UpstreamErrorCode =
  | "STATUS"
  | "NETWORK"
  | "TIMEOUT"
  | "TOO_LARGE"
  | "REDIRECT"
  | "HEADERS"
  | "DOCUMENT"
  | "OLDER"
  | "NOT_OFFERED"
  | "FILE"
  | "INTERNAL";

interface UpstreamErrorDetails {
  readonly code: UpstreamErrorCode;
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

const REJECTION_STATUSES: ReadonlySet<number | undefined> = new Set([400, 413, 422]);
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** A failed call to the upstream. The message never contains a token or a header value. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly code: UpstreamErrorCode;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, details: UpstreamErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }

  /** Whether the failure is expected to resolve itself; then it is a warning, not an error. */
  get isTransient(): boolean {
    if (this.code === "NOT_OFFERED" || this.code === "OLDER") return true;
    if (this.status === undefined) return this.code === "NETWORK" || this.code === "TIMEOUT";
    return this.status >= 500 || TRANSIENT_STATUSES.has(this.status);
  }

  /** Whether the upstream rejected the content of the request, so that sending it again is useless. */
  get isRejection(): boolean {
    return REJECTION_STATUSES.has(this.status);
  }

  /** Equal for failures of the same kind, so that each kind is logged once per outage. */
  get kind(): string {
    return `${this.code} ${this.status ?? ""}`;
  }
}

const MAX_CAUSES = 5;

/** Returns the message of a thrown value, or of its innermost cause. Never throws. */
export function describeCause(thrown: unknown): string {
  let innermost = thrown;
  for (let depth = 0; depth < MAX_CAUSES; depth += 1) {
    if (!(innermost instanceof Error) || !(innermost.cause instanceof Error)) break;
    innermost = innermost.cause;
  }
  try {
    return innermost instanceof Error ? describeError(innermost) : String(innermost);
  } catch {
    return "unknown cause";
  }
}

/** The code of errors of a forward proxy. */
export const FORWARD_PROXY_CODE = "FORWARD_PROXY";

/** Codes of errors about a certificate of a CA that this process does not trust. */
export const UNKNOWN_ISSUER_CODES: ReadonlySet<unknown> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** By code. `flags-proxy check` uses the same words, and adds what to do. */
const REASONS: ReadonlyMap<unknown, string> = new Map([
  ["ECONNREFUSED", "nothing is listening there"],
  ["ECONNRESET", "the connection was closed"],
  ["ENOTFOUND", "the host name does not exist"],
  ["EAI_AGAIN", "the host name cannot be resolved now"],
  ["ETIMEDOUT", "there is no response"],
  ["EHOSTUNREACH", "there is no route to the host"],
  ["ENETUNREACH", "there is no route to the host"],
  ["HPE_INVALID_CONSTANT", "the server does not speak HTTP on this port"],
  ["CERT_HAS_EXPIRED", "the certificate of the server has expired"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "the certificate of the server is for other host names"],
  ...[...UNKNOWN_ISSUER_CODES].map(
    (code) =>
      [
        code,
        "the certificate of the server is not signed by a CA that this process trusts",
      ] as const,
  ),
]);

const NO_TLS_CODES: ReadonlySet<unknown> = new Set([
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
]);

/** Codes of zlib for gzip and Brotli. */
const DECOMPRESSION_CODE = /^(?:Z_|ERR__ERROR_)/;

function describeError(error: Error): string {
  if ("code" in error && DECOMPRESSION_CODE.test(String(error.code))) {
    return `the content cannot be decompressed: ${error.message}`;
  }
  if ("code" in error && NO_TLS_CODES.has(error.code)) {
    return "the server does not use TLS on this port: check the scheme and the port of the URL";
  }
  // Messages of OpenSSL also contain addresses in memory, and files and lines of its source code.
  if ("library" in error && "reason" in error) return `TLS failed: ${String(error.reason)}`;
  const code = "code" in error ? String(error.code) : undefined;
  // NOTE: a failed dual-stack connect is an AggregateError with an empty message and a code.
  const message = error.message || (code ?? error.name);
  const reason = REASONS.get(code);
  // The message contains the address that the host name had.
  return reason === undefined ? message : `${reason} (${message})`;
}

/** Returns the URL without credentials, query and fragment, for messages. */
export function describeUrl(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/** Returns an `UpstreamError` unchanged. Converts errors of parsing a document, and unexpected ones. */
export function toUpstreamError(thrown: unknown): UpstreamError {
  if (thrown instanceof UpstreamError) return thrown;
  const cause = describeCause(thrown);
  return thrown instanceof DocumentError || thrown instanceof SyntaxError
    ? new UpstreamError(`The document is not usable: ${cause}`, { code: "DOCUMENT", cause: thrown })
    : new UpstreamError(`Unexpected error: ${cause}`, { code: "INTERNAL", cause: thrown });
}
