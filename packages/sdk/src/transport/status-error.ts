import { describeUrl } from "./http-client.ts";
import type { UpstreamResponse } from "./http-client.ts";
import { parseRetryAfterMs } from "./retry-after.ts";
import { UpstreamError } from "./upstream-error.ts";

const ADVICE: ReadonlyMap<number, string> = new Map([
  [401, "it does not know the API token: set one that is valid, of the type client or backend"],
  [403, "the API token has no right to this: use one of the type client or backend"],
  [404, "there is no such API: check the URL, which usually ends in /api"],
  [413, "the request is too large for it"],
  [429, "it limits the rate of requests"],
]);

/** The error for an answer that is not a success. */
export function toStatusError(
  url: URL,
  { status, headers }: Pick<UpstreamResponse, "status" | "headers">,
  nowMs: number,
): UpstreamError {
  const advice = ADVICE.get(status) ?? defaultAdvice(status);
  const retryAfterMs = parseRetryAfterMs(headers.get("retry-after"), nowMs);
  return new UpstreamError(`${describeUrl(url)} answered ${status}: ${advice}`, {
    code: "STATUS",
    status,
    retryAfterMs,
  });
}

function defaultAdvice(status: number): string {
  if (status >= 500) return "it has a fault of its own";
  if (status === 304) return "it was not asked conditionally";
  if (status >= 300 && status < 400) return "it has moved: check the URL";
  return "it refuses the request";
}
