import type { FastifyServerOptions } from "fastify";

/** Largest request body that is read. */
export const BODY_LIMIT_BYTES: number = 1024 * 1024;

/**
 * How long an idle connection stays open. Common load balancers close theirs after 60 s and must do
 * so first, or they would send a request on a connection that is just being closed.
 */
export const KEEP_ALIVE_TIMEOUT_MS = 72_000;

/** How long a request may take to arrive, headers and body each counted from its first byte. */
export const REQUEST_TIMEOUT_MS = 30_000;

type Defaults = Pick<
  FastifyServerOptions,
  "bodyLimit" | "routerOptions" | "forceCloseConnections" | "return503OnClosing"
>;

/** How every HTTP server of ours behaves, whatever it serves. */
export const SERVER_DEFAULTS: Defaults = {
  bodyLimit: BODY_LIMIT_BYTES,
  routerOptions: {
    ignoreTrailingSlash: true,
    // Flutter's client joins its base URL and path without looking at slashes.
    ignoreDuplicateSlashes: true,
    maxParamLength: 1024,
  },
  forceCloseConnections: "idle",
  // A request that still arrives on an open connection during shutdown is answered.
  return503OnClosing: false,
};
