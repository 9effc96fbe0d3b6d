import type { FastifyReply, FastifyRequest } from "fastify";

/** A cookie that only this service reads. */
export interface Cookie {
  readonly name: string;
  /** `Lax` cookies are sent when another site leads the browser here, `Strict` ones are not. */
  readonly sameSite: "Lax" | "Strict";
}

export const SESSION_COOKIE: Cookie = { name: "flags_session", sameSite: "Strict" };

/**
 * Reads the values of a cookie, which is sent more than once if another program on this host or domain has set it with
 * another path or domain. Browsers send the one with the longest path first, so ours, whose path is `/`, comes last.
 */
export function readCookies(
  { headers }: FastifyRequest,
  cookie: Cookie,
  isHttps: boolean,
): readonly string[] {
  const prefix = `${fullName(cookie, isHttps)}=`;
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(prefix)).map((pair) => pair.slice(prefix.length));
}

/**
 * Sets a cookie that scripts cannot read.
 *
 * @param maxAgeSeconds 0 deletes it
 */
export function setCookie(
  reply: FastifyReply,
  cookie: Cookie,
  {
    value,
    maxAgeSeconds,
    isHttps,
  }: { readonly value: string; readonly maxAgeSeconds: number; readonly isHttps: boolean },
): void {
  const attributes = [
    `${fullName(cookie, isHttps)}=${value}`,
    "Path=/",
    `Max-Age=${Math.floor(maxAgeSeconds)}`,
    "HttpOnly",
    `SameSite=${cookie.sameSite}`,
    ...(isHttps ? ["Secure"] : []),
  ];
  reply.header("set-cookie", attributes.join("; "));
}

/** NOTE: with the prefix, neither a subdomain nor a page without TLS can replace the cookie. */
function fullName({ name }: Cookie, isHttps: boolean): string {
  return isHttps ? `__Host-${name}` : name;
}
