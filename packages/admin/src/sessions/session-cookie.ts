import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../errors.ts";

/** A cookie that only this service reads. */
export interface Cookie {
  readonly name: string;
  /** `Lax` cookies are sent when another site leads the browser here, `Strict` ones are not. */
  readonly sameSite: "Lax" | "Strict";
}

export const SESSION_COOKIE: Cookie = { name: "flags_session", sameSite: "Strict" };

/**
 * Reads a cookie of a request; undefined if it is not sent.
 *
 * @throws {ApiError} 400 if it is sent more than once: another program on this host or domain may have set it
 */
export function readCookie(
  { headers }: FastifyRequest,
  cookie: Cookie,
  isHttps: boolean,
): string | undefined {
  const prefix = `${fullName(cookie, isHttps)}=`;
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  const [first, ...others] = pairs.filter((pair) => pair.startsWith(prefix));
  if (others.length > 0) {
    throw new ApiError(
      "BadDataError",
      `The cookie \`${prefix.slice(0, -1)}\` must be sent once, but the request has it more than once: delete the cookies of this site`,
    );
  }
  return first?.slice(prefix.length);
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
