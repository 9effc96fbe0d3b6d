// What the clients of all runtimes have in common: limits, and the errors of calls that exceed them.

import type { Deadline } from "./deadline.ts";
import type { HeaderMap } from "./headers.ts";
import { MAX_REDIRECTS } from "./redirect.ts";
import { describeCause, describeUrl, UpstreamError } from "./upstream-error.ts";

/** The default size limit for a body after decompression: 64 MiB. */
export const MAX_BODY_BYTES: number = 64 * 1024 * 1024;

/** The error for a body that exceeds the size limit. */
export function tooLarge(maxBytes: number): UpstreamError {
  return new UpstreamError(`The upstream sent more than ${maxBytes} bytes`, { code: "TOO_LARGE" });
}

/** The error for a call that is redirected again and again. */
export function tooManyRedirects(url: URL): UpstreamError {
  const message = `${describeUrl(url)} redirects more than ${MAX_REDIRECTS} times`;
  return new UpstreamError(message, { code: "REDIRECT" });
}

/** Converts the error of a call that got no complete response. */
export function toCallError(cause: unknown, url: URL, deadline: Deadline): UpstreamError {
  if (cause instanceof UpstreamError) return cause;
  const code = deadline.isExpired ? "TIMEOUT" : "NETWORK";
  const reason = describeCause(deadline.isExpired ? deadline.signal.reason : cause);
  return new UpstreamError(`Cannot reach ${describeUrl(url)}: ${reason}`, { code, cause });
}

/** Returns the secret headers of a call. The time that they take counts towards its deadline. */
export async function resolveCredentials(
  { credentials }: { readonly credentials?: (() => Promise<HeaderMap>) | undefined },
  deadline: Deadline,
): Promise<HeaderMap> {
  if (credentials === undefined) return {};
  try {
    return await deadline.race(credentials());
  } catch (cause) {
    if (deadline.signal.aborted) throw cause;
    throw new UpstreamError(`Cannot create the request headers: ${describeCause(cause)}`, {
      code: "HEADERS",
      cause,
    });
  }
}
