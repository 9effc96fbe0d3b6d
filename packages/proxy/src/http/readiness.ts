import type { FastifyInstance } from "fastify";
import { notReady } from "../errors.ts";
import type { UpstreamSource } from "../sources.ts";

/**
 * Returns whether at least one source has flags, from the upstream, a bootstrap or storage, and each other
 * one has flags or has failed. So a proxy of several environments waits for all of them at the start, but
 * not for one whose token is wrong or whose upstream is down: only requests with its keys get a 503.
 */
export function isReady(sources: readonly UpstreamSource[]): boolean {
  return (
    sources.some(({ flags }) => flags.snapshot !== undefined) &&
    sources.every(
      ({ flags, lastFailure }) => flags.snapshot !== undefined || lastFailure() !== undefined,
    )
  );
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the route responds before the sources are ready. @default false */
    isAlwaysAvailable?: boolean;
  }
}

/** Options of a route that responds before the sources are ready. */
export const ALWAYS_AVAILABLE = { config: { isAlwaysAvailable: true } } as const;

/**
 * Responds with a 503 to every request until the sources are ready, before any other check. Routes with
 * `ALWAYS_AVAILABLE` are exempt.
 */
export function gateUntilReady(app: FastifyInstance, sources: readonly UpstreamSource[]): void {
  app.addHook("onRequest", (request, _reply, done) => {
    const { isAlwaysAvailable = false } = request.routeOptions.config;
    done(isAlwaysAvailable || isReady(sources) ? undefined : notReady());
  });
}
