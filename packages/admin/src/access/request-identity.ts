// Who has sent a request, which authentication finds out before the handler of the route runs.

import type { FastifyRequest } from "fastify";
import type { Actor } from "../storage/event.ts";
import type { Caller } from "./caller.ts";
import type { ApiToken } from "./token.ts";

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
  const { id, name, kind } = callerOf(request);
  return { id, name, kind };
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
