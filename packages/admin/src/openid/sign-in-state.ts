import { type Static, Type } from "typebox";
import { createCheck } from "../http/validation.ts";

const MAX_PATH_LENGTH = 1000;

const Random = Type.String({ pattern: "^[\\w-]{20,128}$" });

const State = Type.Object({
  state: Random,
  nonce: Random,
  codeVerifier: Random,
  returnTo: Type.String({ maxLength: MAX_PATH_LENGTH }),
});

/**
 * A sign-in in progress. The browser keeps it in a cookie, so that only the browser that has started a sign-in
 * can complete it, on any replica.
 */
export type SignInState = Static<typeof State>;

const isState = createCheck(State);

/** Writes a sign-in as the value of a cookie. */
export function writeState(state: SignInState): string {
  return Buffer.from(JSON.stringify(state)).toString("base64url");
}

/** Parses the value of a cookie; undefined if it is not a sign-in. Its path may have been changed. */
export function parseState(cookie: string): SignInState | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cookie, "base64url").toString());
    return isState(value) ? { ...value, returnTo: toLocalPath(value.returnTo) } : undefined;
  } catch {
    return undefined;
  }
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
