import { UpstreamError } from "./upstream-error.ts";

export const MAX_REDIRECTS = 5;

const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308]);
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

interface RedirectingResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

interface RedirectedRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  /** What an operator has to change when the server has moved, for error messages. */
  readonly urlSetting: string;
}

/**
 * Returns the URL to follow a redirect to, or undefined when the response is not to be followed.
 *
 * Whoever controls the target of a redirect controls the flags, so only redirects within the
 * configured origin (scheme, host and port) are followed. A POST follows only the redirects that
 * keep it a POST: turned into a GET it would succeed and deliver nothing.
 *
 * @throws {UpstreamError} with code `REDIRECT` when the redirect leads to another origin
 */
export function redirectTarget(
  response: RedirectingResponse,
  { method, url, urlSetting }: RedirectedRequest,
): URL | undefined {
  const location = response.headers.get("location");
  if (location === null || !REDIRECTS.has(response.status)) return undefined;
  if (!URL.canParse(location, url.href)) return undefined;
  const target = new URL(location, url);
  if (target.protocol !== "http:" && target.protocol !== "https:") return undefined;
  if (target.origin !== url.origin) {
    const redirect = `${url.origin}${url.pathname} redirects to another origin, ${target.origin}`;
    throw new UpstreamError(
      `${redirect}: only redirects within ${url.origin} are followed; if it has moved, change ${urlSetting}`,
      { code: "REDIRECT" },
    );
  }
  return method === "GET" || KEEPS_METHOD.has(response.status) ? target : undefined;
}
