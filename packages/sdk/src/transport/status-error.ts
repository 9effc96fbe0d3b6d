import { describeUrl } from "./http-client.ts";
import type { UpstreamResponse } from "./http-client.ts";
import { parseRetryAfterMs } from "./retry-after.ts";
import { UpstreamError } from "./upstream-error.ts";

/** What to do about an answer, by its status. */
export type Advice = ReadonlyMap<number, string>;

/** For calls of the upstream protocol. */
export const API_ADVICE: Advice = new Map([
  [401, "it does not know the API token: set one that is valid, of the type client or backend"],
  [403, "the API token has no right to this: use one of the type client or backend"],
  [404, "there is no such API: check the URL, which usually ends in /api"],
  [413, "the request is too large for it"],
]);

interface Call {
  readonly url: URL;
  readonly advice: Advice;
  readonly nowMs: number;
}

/** The error for an answer that is not a success. */
export function toStatusError(
  { status, headers }: Pick<UpstreamResponse, "status" | "headers">,
  { url, advice, nowMs }: Call,
): UpstreamError {
  const reason = advice.get(status) ?? defaultAdvice(status);
  const retryAfterMs = parseRetryAfterMs(headers.get("retry-after"), nowMs);
  return new UpstreamError(`${describeUrl(url)} answered ${status}: ${reason}`, {
    code: "STATUS",
    status,
    retryAfterMs,
  });
}

function defaultAdvice(status: number): string {
  if (status >= 500) return "it has a fault of its own";
  if (status === 429) return "it limits the rate of requests";
  if (status === 304) return "it was not asked conditionally";
  if (status >= 300 && status < 400) return "it has moved: check the URL";
  return "it refuses the request";
}
