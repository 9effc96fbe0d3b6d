import { describeUrl, UpstreamError } from "./upstream-error.ts";

export const MAX_REDIRECTS = 5;

const METHOD_PRESERVING: ReadonlySet<number> = new Set([307, 308]);
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

interface RedirectResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

interface RedirectedRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly urlSetting: string;
}

/**
 * Returns the URL to which a response redirects, or undefined if it must not be followed.
 *
 * The server that a redirect points to would control the flags, so only redirects within the
 * configured origin (scheme, host and port) are followed. A POST follows only redirects that
 * preserve the method: as a GET it would succeed without delivering anything.
 *
 * @throws {UpstreamError} with code `REDIRECT` if the redirect points to another origin
 */
export function redirectTarget(
  response: RedirectResponse,
  { method, url, urlSetting }: RedirectedRequest,
): URL | undefined {
  const location = response.headers.get("location");
  if (location === null || !REDIRECTS.has(response.status)) return undefined;
  if (!URL.canParse(location, url.href)) return undefined;
  const target = new URL(location, url);
  if (target.protocol !== "http:" && target.protocol !== "https:") return undefined;
  if (target.origin !== url.origin) {
    const redirect = `${describeUrl(url)} redirects to another origin, ${target.origin}`;
    throw new UpstreamError(
      `${redirect}: only redirects within ${url.origin} are followed; if the server has moved, change ${urlSetting}`,
      { code: "REDIRECT" },
    );
  }
  return method === "GET" || METHOD_PRESERVING.has(response.status) ? target : undefined;
}
