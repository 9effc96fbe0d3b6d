import type { FastifyInstance, FastifyRequest } from "fastify";
import { BODY_LIMIT_BYTES } from "./server-defaults.ts";

/** Bodies up to this length are not counted: the limit of connections is their limit. */
const SMALL_BODY_BYTES = 16 * 1024;

/** Memory for bodies that are arriving. */
const MAX_BYTES = 128 * 1024 * 1024;

export interface BodyBudgetOptions {
  /** Creates the error for a request that exceeds the budget; a 503. */
  readonly toError: () => Error;
  /** The key of a request; undefined for requests without one, which share one budget. */
  readonly keyOf: (request: FastifyRequest) => string | undefined;
  /** @default 134217728 */
  readonly maxBytes?: number;
}

/**
 * Limits the memory that request bodies take together while they are arriving: a client may send
 * almost all of a body on each of many connections, and then wait for the timeout. Must be registered
 * before the routes.
 */
export function limitBodyMemory(
  app: FastifyInstance,
  { toError, keyOf, maxBytes = MAX_BYTES }: BodyBudgetOptions,
): void {
  const total = { bytes: 0 };
  const byKey = new Map<string, { bytes: number }>();
  const releases = new WeakMap<FastifyRequest, () => void>();

  app.addHook("preParsing", (request, reply, payload, done) => {
    const bytes = bodyBytes(request);
    if (bytes <= SMALL_BODY_BYTES) {
      done(null, payload);
      return;
    }
    const key = keyOf(request) ?? "";
    const own = byKey.get(key) ?? { bytes: 0 };
    // One key may hold as much as is still free, so that several cannot use up what others need.
    if (own.bytes + bytes > maxBytes - total.bytes - bytes) {
      done(toError());
      return;
    }
    byKey.set(key, own);
    const counters = [total, own];
    for (const counter of counters) counter.bytes += bytes;
    const release = (): void => {
      for (const counter of counters.splice(0)) counter.bytes -= bytes;
      if (own.bytes === 0) byKey.delete(key);
    };
    releases.set(request, release);
    reply.raw.once("close", release);
    done(null, payload);
  });
  // NOTE: a stream keeps its response open, but not its body.
  app.addHook("preHandler", (request, _reply, done) => {
    releases.get(request)?.();
    done();
  });
}

/** How much memory a body may take: what is announced, or else the limit of a body. */
function bodyBytes({ headers, routeOptions }: FastifyRequest): number {
  const { "content-length": length, "transfer-encoding": coding } = headers;
  const limit = routeOptions.bodyLimit ?? BODY_LIMIT_BYTES;
  if (length === undefined) return coding === undefined ? 0 : limit;
  return headers["content-encoding"] === undefined ? Math.min(Number(length), limit) : limit;
}
