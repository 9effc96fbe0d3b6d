import type { IncomingMessage } from "node:http";
import { HttpError } from "../errors.ts";
import type { Grant } from "./grant.ts";

const counted = new WeakSet<IncomingMessage>();

/**
 * Checks the rules of a grant that apply to every request, and counts the request against the rate of
 * the key, once. Returns the error to send if it is not allowed.
 */
export function admitRequest({ access }: Grant, request: IncomingMessage): HttpError | undefined {
  if (access === undefined) return undefined;
  const { allowsOrigin, rateLimit } = access;
  const { origin } = request.headers;
  if (allowsOrigin !== undefined && origin !== undefined && !allowsOrigin(origin)) {
    return new HttpError(403, "This key cannot be used from the origin of the request");
  }
  if (rateLimit === undefined || counted.has(request)) return undefined;
  const retryAfterSeconds = rateLimit.count();
  if (retryAfterSeconds === 0) {
    counted.add(request);
    return undefined;
  }
  return new HttpError(429, "Too many requests with this key: send fewer, or try again later", {
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}
