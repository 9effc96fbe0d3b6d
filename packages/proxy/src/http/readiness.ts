import type { FastifyInstance } from "fastify";
import { type HttpError, notReady, shuttingDown, tooStale } from "../errors.ts";
import { ageMsOf, isFresh } from "../age.ts";
import type { Source } from "../sources.ts";

/**
 * Returns whether at least one source has flags, from the upstream, a bootstrap or storage, and each other
 * one has flags or has failed. So a proxy of several environments waits for all of them at startup, but
 * not for one whose token is wrong or whose upstream is down: only requests with its keys get a 503.
 */
export function isReady(sources: readonly Source[]): boolean {
  return (
    sources.some(({ flags }) => flags.snapshot !== undefined) &&
    sources.every(
      ({ flags, lastFailure }) => flags.snapshot !== undefined || lastFailure() !== undefined,
    )
  );
}

/** What decides whether this replica should get requests. */
export interface ReadinessRules {
  readonly sources: readonly Source[];
  /** The greatest age of flags; undefined: any. */
  readonly maxStalenessMs: number | undefined;
  readonly isStopping: () => boolean;
}

/**
 * Returns why this replica should not get requests; undefined if it should.
 *
 * Flags that are too old count only if those of every source are: when the token of one environment is
 * revoked, all replicas must continue to serve the others.
 */
export function findReadinessError({
  sources,
  maxStalenessMs,
  isStopping,
}: ReadinessRules): HttpError | undefined {
  if (isStopping()) return shuttingDown();
  if (!isReady(sources)) return notReady();
  const ages = sources
    .filter(({ flags }) => flags.snapshot !== undefined)
    .map(({ flags }) => ageMsOf(flags));
  if (maxStalenessMs === undefined || ages.some((age) => isFresh(age, maxStalenessMs))) {
    return undefined;
  }
  const known = ages.filter((age) => age !== undefined);
  return tooStale(known.length === 0 ? undefined : Math.min(...known), maxStalenessMs);
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the route responds before the sources are ready. @default false */
    isAlwaysAvailable?: boolean;
  }
}

/** Options of a route that responds before the sources are ready. */
export const ALWAYS_AVAILABLE = { config: { isAlwaysAvailable: true } } as const;

/** Options of such a route that accepts any `Host`, because it is a probe or requires a token. */
export const ALWAYS_AVAILABLE_TO_ALL = {
  config: { isAlwaysAvailable: true, checksHost: false },
} as const;

/**
 * Responds with a 503 to every request until the sources are ready, before any other check. Routes with
 * `ALWAYS_AVAILABLE` are exempt.
 */
export function rejectUntilReady(app: FastifyInstance, sources: readonly Source[]): void {
  app.addHook("onRequest", (request, _reply, done) => {
    const { isAlwaysAvailable = false } = request.routeOptions.config;
    done(isAlwaysAvailable || isReady(sources) ? undefined : notReady());
  });
}
