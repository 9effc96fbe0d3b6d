import type { FastifyRequest } from "fastify";
import type { Actor } from "../storage/event.ts";
import type { ApiToken } from "./token.ts";

const tokens = new WeakMap<FastifyRequest, ApiToken>();

/** Stores the token with which a request was authenticated. */
export function setToken(request: FastifyRequest, token: ApiToken): void {
  tokens.set(request, token);
}

/**
 * Returns the token of an authenticated request.
 *
 * @throws {TypeError} if the route does not require a token
 */
export function tokenOf(request: FastifyRequest): ApiToken {
  const token = tokens.get(request);
  if (token === undefined) throw new TypeError("This route does not require a token");
  return token;
}

/** Returns the id of the token of a request; undefined if the request is not authenticated. */
export function tokenIdOf(request: FastifyRequest): string | undefined {
  return tokens.get(request)?.id;
}

/**
 * Returns the author of a request to the admin API, for the events that it records.
 *
 * @throws {TypeError} if the route does not require an admin token
 */
export function actorOf(request: FastifyRequest): Actor {
  const { id, name, type } = tokenOf(request);
  if (type !== "admin") throw new TypeError("This route does not require an admin token");
  return { id, name, kind: "token" };
}
