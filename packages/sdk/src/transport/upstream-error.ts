/**
 * What kind of fault a call to the upstream met.
 *
 * - `STATUS`: it answered with a status that is not a success.
 * - `NETWORK`: no connection, or the connection broke.
 * - `TIMEOUT`: no complete answer in time.
 * - `TOO_LARGE`: the answer is larger than we are willing to hold.
 * - `REDIRECT`: it redirects to another origin, or too often.
 * - `HEADERS`: the application's own header function failed.
 * - `DOCUMENT`: the answer came, but is not a usable document.
 * - `NOT_OFFERED`: it does not have this way of synchronizing; flags are polled instead.
 */
export type UpstreamErrorCode =
  | "STATUS"
  | "NETWORK"
  | "TIMEOUT"
  | "TOO_LARGE"
  | "REDIRECT"
  | "HEADERS"
  | "DOCUMENT"
  | "NOT_OFFERED";

export interface UpstreamErrorDetails {
  readonly code: UpstreamErrorCode;
  readonly status?: number;
  /** How long to stay away: what the upstream asked for, or what makes sense. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

const REFUSAL_STATUSES: ReadonlySet<number | undefined> = new Set([400, 413, 422]);
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** A call to the upstream that did not succeed. Its message never holds a token or header value. */
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

  /** Needs nobody's help: worth a warning, not an alarm. */
  get isTransient(): boolean {
    if (this.code === "NOT_OFFERED") return true;
    if (this.status === undefined) return this.code === "NETWORK" || this.code === "TIMEOUT";
    return this.status >= 500 || TRANSIENT_STATUSES.has(this.status);
  }

  /** The upstream refuses what was sent for its content: sent again, it would be refused again. */
  get isRefusal(): boolean {
    return REFUSAL_STATUSES.has(this.status);
  }

  /** Equal for faults of the same nature, so that a lasting one is told once. */
  get kind(): string {
    return `${this.code} ${this.status ?? ""}`;
  }
}

const MAX_CAUSES = 5;

/** The text of whatever was thrown, down to the cause that explains it. Never throws itself. */
export function describeCause(thrown: unknown): string {
  let innermost = thrown;
  for (let depth = 0; depth < MAX_CAUSES; depth += 1) {
    if (!(innermost instanceof Error) || !(innermost.cause instanceof Error)) break;
    innermost = innermost.cause;
  }
  try {
    return innermost instanceof Error ? describeError(innermost) : String(innermost);
  } catch {
    // An object of the application may have no text, or throw when it is asked for it.
    return "unknown cause";
  }
}

function describeError(error: Error): string {
  // NOTE: a failed dual-stack connect is an AggregateError with an empty message and a code.
  if (error.message !== "") return error.message;
  return "code" in error ? String(error.code) : error.name;
}

/** Keeps an `UpstreamError` as it is; anything else comes from reading what the upstream sent. */
export function toUpstreamError(thrown: unknown): UpstreamError {
  if (thrown instanceof UpstreamError) return thrown;
  const message = `The document is not usable: ${describeCause(thrown)}`;
  return new UpstreamError(message, { code: "DOCUMENT", cause: thrown });
}
