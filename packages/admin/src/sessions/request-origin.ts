import type { FastifyRequest } from "fastify";
import { ApiError } from "../errors.ts";

type OriginRequest = Pick<FastifyRequest, "headers" | "host" | "protocol">;

/**
 * Whether a browser has sent a request over TLS, as far as the service can know: the connection, a trusted
 * proxy, or the setting PUBLIC_URL says so.
 */
export function isHttps(request: OriginRequest, publicUrl: string | undefined): boolean {
  if (request.protocol === "https") return true;
  if (publicUrl === undefined) return false;
  const { protocol, host } = new URL(publicUrl);
  return protocol === "https:" && request.host === host;
}

/**
 * Checks that a page of this service has sent a request, and not a page of another origin, to which
 * browsers may attach the same cookies. Another port of the same host is the same site for cookies.
 *
 * @throws {ApiError} 403 if it has not, or the browser does not say
 */
export function requireSameOrigin(request: OriginRequest, publicUrl: string | undefined): void {
  const site = request.headers["sec-fetch-site"];
  // Browsers omit this header over plain HTTP, except on this machine. They send `Origin` then.
  const isSame = site === undefined ? isOwnOrigin(request, publicUrl) : site === "same-origin";
  if (isSame) return;
  throw foreignPage();
}

/**
 * Refuses a request that changes something and that a page of another origin has sent. Accepts programs: browsers say where
 * such a request comes from.
 *
 * @throws {ApiError} 403 for such a request
 */
export function refuseForeignPage(request: OriginRequest, publicUrl: string | undefined): void {
  const { origin, "sec-fetch-site": site } = request.headers;
  if (origin === undefined && site === undefined) return;
  requireSameOrigin(request, publicUrl);
}

/**
 * Refuses a request that a page of another origin has sent, for example as an image or an event stream. The
 * page could not read the response, but it could measure it, or exhaust the streams of the user. Links from
 * other pages work.
 *
 * @throws {ApiError} 403 for such a request
 */
export function refuseOtherPages(request: OriginRequest): void {
  const isLink = request.headers["sec-fetch-mode"] === "navigate";
  if (isFromOtherPage(request) && !isLink) throw foreignPage();
}

/** Whether a page of another origin has caused a request, if the browser says so: see `requireSameOrigin()`. */
export function isFromOtherPage({ headers }: Pick<OriginRequest, "headers">): boolean {
  const site = headers["sec-fetch-site"];
  return site === "cross-site" || site === "same-site";
}

function foreignPage(): ApiError {
  return new ApiError(
    "PermissionError",
    "Sessions can be started, used and ended only by pages of this service. Programs send a token in the `Authorization` header. If a reverse proxy changes the `Host` header, set PUBLIC_URL",
  );
}

function isOwnOrigin(request: OriginRequest, publicUrl: string | undefined): boolean {
  const { origin } = request.headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  if (publicUrl !== undefined && new URL(publicUrl).origin === origin) return true;
  const { protocol, host } = new URL(origin);
  if (isHttps(request, publicUrl) && protocol !== "https:") return false;
  const own = `${protocol}//${request.host}`;
  return URL.canParse(own) && new URL(own).host === host;
}
