import { createHmac, timingSafeEqual } from "node:crypto";
import { type Static, Type } from "typebox";
import { createCheck } from "../http/validation.ts";

/** How long a user may take to sign in with the provider. */
export const SIGN_IN_SECONDS = 600;

const MAX_PATH_LENGTH = 1000;

const Random = Type.String({ pattern: "^[\\w-]{20,128}$" });

const State = Type.Object({
  state: Random,
  nonce: Random,
  codeVerifier: Random,
  returnTo: Type.String({ maxLength: MAX_PATH_LENGTH }),
  /** When the sign-in must be completed, in milliseconds since 1970. */
  expiresAt: Type.Number(),
});

/**
 * A sign-in in progress. The browser keeps it in a signed cookie, so that only the browser that has started a sign-in
 * can complete it, on any replica.
 */
export type SignInState = Static<typeof State>;

const isState = createCheck(State);

/** Writes a sign-in as the value of a cookie. @param secret one that all replicas have */
export function writeState(state: SignInState, secret: string): string {
  const content = Buffer.from(JSON.stringify(state)).toString("base64url");
  return `${content}.${sign(content, secret)}`;
}

/** Parses the value of a cookie; undefined if this service has not written it, or it has expired. */
export function parseState(cookie: string, secret: string, now: Date): SignInState | undefined {
  const [content = "", signature = ""] = cookie.split(".");
  if (!areEqual(signature, sign(content, secret))) return undefined;
  const value: unknown = JSON.parse(Buffer.from(content, "base64url").toString());
  return isState(value) && value.expiresAt > now.getTime() ? value : undefined;
}

/** NOTE: with a prefix, so that a signature for another purpose with the same secret is not accepted. */
function sign(content: string, secret: string): string {
  return createHmac("sha256", secret).update(`flags-admin sign-in ${content}`).digest("base64url");
}

/** Compares two strings in the same time, wherever they differ. */
export function areEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Returns the path to which a user returns after signing in; `/` for anything that is not a path of this
 * service. Otherwise, a link to this service could lead a user who trusts it to another one.
 */
export function toLocalPath(text: unknown): string {
  // NOTE: browsers read `//host` and `/\host` as another host, and ignore tabs and line breaks.
  if (typeof text !== "string" || text.length > MAX_PATH_LENGTH) return "/";
  return /^\/(?![/\\])[\x21-\x5B\x5D-\x7E]*$/.test(text) ? text : "/";
}
