import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyServerOptions,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { Static, TSchema } from "typebox";

/** Maximum size of a request body, unless its route has another limit. */
export const BODY_LIMIT_BYTES: number = 1024 * 1024;

/** Bodies of up to this length are always read: the number of connections limits their memory. */
export const SMALL_BODY_BYTES: number = 16 * 1024;

/**
 * Maximum size of the body of `/edge/validate`, enough for the tokens of any proxy. Lower than others,
 * because the request requires no key.
 */
export const VALIDATION_BODY_LIMIT_BYTES: number = 250 * 1024;

/**
 * How long an idle connection stays open. Common load balancers close idle connections after 60 s.
 * They must close first, or they would send a request on a connection that is just being closed.
 */
export const KEEP_ALIVE_TIMEOUT_MS = 72_000;

/** How long a request may take to arrive, from the first byte of its headers to its whole body. */
export const REQUEST_TIMEOUT_MS = 30_000;

type Defaults = Pick<
  FastifyServerOptions,
  "bodyLimit" | "routerOptions" | "forceCloseConnections" | "return503OnClosing"
>;

/** Fastify options that both services use. */
export const SERVER_DEFAULTS: Defaults = {
  bodyLimit: BODY_LIMIT_BYTES,
  routerOptions: {
    ignoreTrailingSlash: true,
    // Flutter's client joins its base URL and path without looking at slashes.
    ignoreDuplicateSlashes: true,
    maxParamLength: 1024,
  },
  forceCloseConnections: "idle",
  // Requests that arrive on open connections during shutdown are served.
  return503OnClosing: false,
};

/** Types requests by their schemas. Responses are not typed. */
interface TypedRequests extends FastifyTypeProvider {
  readonly validator: this["schema"] extends TSchema ? Static<this["schema"]> : unknown;
  readonly serializer: unknown;
}

/** A Fastify instance whose handlers receive requests with the types that their schemas describe. */
export type TypedApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypedRequests
>;
