import type { UpstreamResponse } from "./http-client.ts";
import { describeUrl, UpstreamError } from "./upstream-error.ts";

/** Explanations of unsuccessful statuses for error messages: the reason, and what to do. */
export type StatusHints = ReadonlyMap<number, string>;

export const API_HINTS: StatusHints = new Map([
  [401, "the API token is unknown: use a valid one of type client or backend"],
  [403, "the API token does not permit this: use one of type client or backend"],
  [404, "there is no such API: check the URL, which usually ends in /api"],
  [413, "the request is too large"],
]);

/** RFC 9110 §15.3: of the successful statuses, only these two mean that a response contains all of what was requested. */
export function isComplete({ status }: Pick<UpstreamResponse, "status">): boolean {
  return status === 200 || status === 203;
}

export function toStatusError(
  { status, headers }: Pick<UpstreamResponse, "status" | "headers">,
  { url, hints }: { readonly url: URL; readonly hints: StatusHints },
): UpstreamError {
  const hint = hints.get(status) ?? defaultHint(status);
  const retryAfterMs = parseRetryAfterMs(headers.get("retry-after"), Date.now());
  const wait = retryAfterMs ? `, and asks to wait ${Math.ceil(retryAfterMs / 1000)} s` : "";
  return new UpstreamError(`${describeUrl(url)} responded with ${status}: ${hint}${wait}`, {
    code: "STATUS",
    status,
    retryAfterMs,
  });
}

function defaultHint(status: number): string {
  if (status >= 200 && status < 300) return "only a 200 or 203 contains a complete response";
  if (status >= 500) return "the server failed";
  if (status === 407) return "a forward proxy requires a user name and a password in its URL";
  if (status === 429) return "the rate limit of the server is exceeded";
  if (status === 304) return "the server sent a 304 although the request had no ETag";
  if (status >= 300 && status < 400) return "the server has moved: check the URL";
  return "the server rejected the request";
}

/** The longest delay that `Retry-After` may impose: a wrong header must not stop a client for a day. */
export const MAX_RETRY_AFTER_MS = 300_000;

// RFC 9110 §10.2.3: a number of seconds, or an HTTP-date.
const SECONDS = /^\d+$/;
const HTTP_DATE = /^[A-Z][a-z]{2,8}, .*\d{2}:\d{2}:\d{2} GMT$/;

/** Parses a `Retry-After` header. Returns milliseconds from `nowMs`, capped; undefined if it is invalid. */
export function parseRetryAfterMs(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  const delayMs = SECONDS.test(text) ? Number(text) * 1000 : dateMs(text) - nowMs;
  return Number.isNaN(delayMs) ? undefined : Math.min(Math.max(delayMs, 0), MAX_RETRY_AFTER_MS);
}

function dateMs(text: string): number {
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
}

const NOT_OFFERED: ReadonlySet<number | undefined> = new Set([404, 405, 501]);
const INTERVALS_TO_NEXT_CHECK = 60;
const DEFAULT_CHECK_MS = 300_000;

export function isNotOffered(status: number | undefined): boolean {
  return NOT_OFFERED.has(status);
}

/** Converts the error of a delta or stream request if the upstream does not have the endpoint; undefined for other errors. */
export function toNotOffered(thrown: unknown, intervalMs: number): UpstreamError | undefined {
  if (!(thrown instanceof UpstreamError)) return undefined;
  const { status, code, message, retryAfterMs = 0 } = thrown;
  if (code !== "NOT_OFFERED" && !isNotOffered(status)) return undefined;
  return new UpstreamError(`${message}; polling instead`, {
    code: "NOT_OFFERED",
    ...(status !== undefined && { status }),
    retryAfterMs: Math.max(notOfferedCheckMs(intervalMs), retryAfterMs),
    cause: thrown,
  });
}

/** So many that checking again whether the upstream offers deltas or streams adds little to the polls. */
export function notOfferedCheckMs(intervalMs: number): number {
  return intervalMs * INTERVALS_TO_NEXT_CHECK || DEFAULT_CHECK_MS;
}
