import type { FastifyInstance, FastifyRequest } from "fastify";
import { BODY_LIMIT_BYTES, SMALL_BODY_BYTES } from "./body-limits.ts";
import { FairShare } from "./fair-share.ts";

/** Default memory for bodies that are arriving. */
const MAX_BYTES = 128 * 1024 * 1024;

interface BodyBudgetOptions {
  /** Creates the 503 error for a request that exceeds the budget. */
  readonly toError: () => Error;
  /** Returns the key of a request. Requests without a key share one budget. */
  readonly keyOf: (request: FastifyRequest) => string | undefined;
  /** @default 134217728 */
  readonly maxBytes?: number;
}

/**
 * Limits the total memory of request bodies that are arriving. Otherwise a client could send almost
 * all of a body on each of many connections and then wait for the timeout. Call it before adding
 * routes.
 */
export function limitBodyMemory(
  app: FastifyInstance,
  { toError, keyOf, maxBytes = MAX_BYTES }: BodyBudgetOptions,
): void {
  const share = new FairShare(maxBytes);
  const releases = new WeakMap<FastifyRequest, () => void>();

  app.addHook("preParsing", (request, reply, payload, done) => {
    const bytes = bodyBytes(request);
    if (bytes <= SMALL_BODY_BYTES) {
      done(null, payload);
      return;
    }
    const release = share.tryClaim(keyOf(request) ?? "", bytes);
    if (release === undefined) {
      done(toError());
      return;
    }
    releases.set(request, release);
    reply.raw.once("close", release);
    done(null, payload);
  });
  // NOTE: an event stream keeps its response open, but has received its body by now.
  app.addHook("preHandler", (request, _reply, done) => {
    releases.get(request)?.();
    done();
  });
}

/** Returns the maximum memory of a body: its `Content-Length`, or the limit if it is not known. */
function bodyBytes({ headers, routeOptions }: FastifyRequest): number {
  const { "content-length": length, "transfer-encoding": coding } = headers;
  const limit = routeOptions.bodyLimit ?? BODY_LIMIT_BYTES;
  if (length === undefined) return coding === undefined ? 0 : limit;
  return headers["content-encoding"] === undefined ? Math.min(Number(length), limit) : limit;
}
