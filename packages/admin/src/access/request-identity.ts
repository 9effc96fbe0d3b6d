// Who has sent a request. Authentication determines this before the route handler runs.

import type { FastifyRequest } from "fastify";
import { type Account, authorNameOf, nameOf, toCallerId } from "./account.ts";
import { ApiError } from "../errors.ts";
import { ProjectAccess } from "./project-access.ts";
import { type Role, roleOfType } from "./role.ts";
import type { Actor } from "../storage/events.ts";
import type { ApiToken } from "./token.ts";

/** Who sent a request to the admin API, and what they may do. */
export interface Caller {
  /** Id of the token; for a person, `user:` and the id of the account. */
  readonly id: string;
  readonly name: string;
  /** `token`: the owner of an API token; `user` and `openid`: a person with a password or of OpenID Connect. */
  readonly kind: "openid" | "token" | "user";
  /** What the caller may do in the whole service. */
  readonly role: Role;
  /** What the caller may do in projects. */
  readonly projects: ProjectAccess;
  /** Undefined for the owner of an API token. */
  readonly account: Account | undefined;
  /** Id of the API token, even if it was used to sign in; undefined for a person. */
  readonly tokenId: string | undefined;
  /** Id of the personal token of the request. */
  readonly personalTokenId: number | undefined;
  /** Hash of the id of the session; undefined if the request has a token. */
  readonly sessionHash: string | undefined;
  /** When the session or the token expires; null for a token that does not. */
  readonly expiresAt: Date | null;
}

/** Returns the owner of a token as the caller; undefined if such tokens are not for the admin API. */
export function toCaller({ id, name, type, expiresAt }: ApiToken): Caller | undefined {
  const role = roleOfType(type);
  if (role === undefined) return undefined;
  return {
    id,
    name,
    kind: "token",
    role,
    projects: ProjectAccess.everywhere(role),
    account: undefined,
    tokenId: id,
    personalTokenId: undefined,
    sessionHash: undefined,
    expiresAt,
  };
}

type Credentials = Pick<Caller, "expiresAt" | "personalTokenId" | "sessionHash">;

/** Returns a person as the caller. The account must not be disabled. */
export function toAccountCaller(
  account: Account,
  projects: ProjectAccess,
  credentials: Credentials,
): Caller {
  return {
    ...credentials,
    id: toCallerId(account),
    name: nameOf(account),
    kind: account.issuer === null ? "user" : "openid",
    role: account.role,
    account,
    tokenId: undefined,
    projects,
  };
}

const callers = new WeakMap<FastifyRequest, Caller>();

/** Stores who sent a request. */
export function setCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller);
}

/**
 * Returns who sent a request to the admin API.
 *
 * @throws {TypeError} if the route is not part of the admin API
 */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new TypeError("This route is not part of the admin API");
  return caller;
}

/** Returns the id of the caller of a request; undefined if there is none. */
export function callerIdOf(request: FastifyRequest): string | undefined {
  return callers.get(request)?.id;
}

/**
 * Returns the author of a request to the admin API, for the events that it records.
 *
 * @throws {TypeError} if the route is not part of the admin API
 */
export function actorOf(request: FastifyRequest): Actor {
  return toActor(callerOf(request));
}

/** Returns a caller as the author of events. */
export function toActor({ id, name, account }: Pick<Caller, "account" | "id" | "name">): Actor {
  if (account === undefined) return { id, name, kind: "token" };
  return { id: String(account.id), name: authorNameOf(account), kind: "user" };
}

/**
 * Returns the account of the person who sent a request.
 *
 * @throws {ApiError} 403 if the request has an API token
 */
export function accountOf(request: FastifyRequest): Account {
  const { account } = callerOf(request);
  if (account !== undefined) return account;
  throw new ApiError(
    "PermissionError",
    "This requires the account of a user, but the request has an API token: sign in, or send a personal token",
  );
}

const tokens = new WeakMap<FastifyRequest, ApiToken>();

/** Stores the token with which a request of an SDK was authenticated. */
export function setToken(request: FastifyRequest, token: ApiToken): void {
  tokens.set(request, token);
}

/**
 * Returns the token of an authenticated request.
 *
 * @throws {TypeError} if the route does not require a backend token
 */
export function tokenOf(request: FastifyRequest): ApiToken {
  const token = tokens.get(request);
  if (token === undefined) throw new TypeError("This route does not require a backend token");
  return token;
}

/** Returns the id of the token of a request of an SDK; undefined if it has none. */
export function tokenIdOf(request: FastifyRequest): string | undefined {
  return tokens.get(request)?.id;
}
