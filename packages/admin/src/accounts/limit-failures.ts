import type { FastifyRequest } from "fastify";
import { AttemptLimiter, AUTHENTICATION_LIMITS, networkOf } from "flags-server-kit/neutral";
import { ApiError } from "../errors.ts";

/** Runs work for a request, and counts its failure against the address. */
export type Limit = <T>(request: FastifyRequest, work: () => Promise<T>) => Promise<T>;

/** Limits how many requests of an address fail. */
export function limitFailures(): Limit {
  const attempts = new AttemptLimiter(
    AUTHENTICATION_LIMITS,
    (seconds) =>
      new ApiError("RateLimitError", `Too many requests have failed: try again in ${seconds} s`, {
        headers: { "retry-after": String(seconds) },
      }),
  );
  return async (request, work) => {
    const refund = attempts.take(networkOf(request.ip), 1);
    const result = await work();
    refund(1);
    return result;
  };
}
