import type { FastifyRequest } from "fastify";
import type { ApiToken } from "./token.ts";

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
