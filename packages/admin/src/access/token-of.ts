import type { FastifyRequest } from "fastify";
import type { ApiToken } from "./tokens/api-token.ts";

const tokens = new WeakMap<FastifyRequest, ApiToken>();

export function setToken(request: FastifyRequest, token: ApiToken): void {
  tokens.set(request, token);
}

/** The token of an authenticated request. */
export function tokenOf(request: FastifyRequest): ApiToken {
  const token = tokens.get(request);
  if (token === undefined) throw new TypeError("No authentication comes before this route");
  return token;
}

/** The id of the token of a request; undefined if the route asks for none, or it was rejected. */
export function tokenIdOf(request: FastifyRequest): string | undefined {
  return tokens.get(request)?.id.toString();
}
