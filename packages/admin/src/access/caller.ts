import type { ApiToken } from "./token.ts";
import { type Role, roleOfType } from "../role.ts";

/** Who sent a request to the admin API, and what they may do. */
export interface Caller {
  /** Id of the token, or issuer and subject of a user of OpenID Connect. */
  readonly id: string;
  readonly name: string;
  readonly kind: "openid" | "token";
  readonly role: Role;
  /** Id of the token, even if it was used to sign in; undefined for OpenID Connect. */
  readonly tokenId: string | undefined;
  /** Hash of the id of the session; undefined if the request has a token. */
  readonly sessionHash: string | undefined;
  /** When the session or the token expires; null for a token that does not. */
  readonly expiresAt: Date | null;
}

/** Returns the owner of a token as the caller; undefined if such tokens are not for the admin API. */
export function toCaller({ id, name, type, expiresAt }: ApiToken): Caller | undefined {
  const role = roleOfType(type);
  if (role === undefined) return undefined;
  return { id, name, kind: "token", role, tokenId: id, sessionHash: undefined, expiresAt };
}
