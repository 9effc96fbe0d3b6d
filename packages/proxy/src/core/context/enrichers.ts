import type { IncomingHttpHeaders } from "node:http";
import type { Context } from "flags-engine";

/** The part of a request that a context enricher can read. */
export interface EnricherRequest {
  /** Names are in lower case. Contains the client key: do not log it. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** The caller's address; forwarded addresses count as configured by `trustProxy`. */
  readonly remoteAddress: string;
}

interface EnricherMethod {
  enrich(context: Context, request: EnricherRequest): Context | Promise<Context>;
}

/**
 * Completes or corrects the context of a request before flags are evaluated.
 *
 * Receives the current context and returns the context to use, or a promise of it. All values in it
 * are strings, except `currentTime`, which is a `Date`. Enrichers run in order, each on the result of
 * the previous one.
 *
 * Derived from a method, whose parameters TypeScript compares bivariantly, so that an enricher can
 * declare a narrower context type, such as the one of the official SDK.
 */
export type ContextEnricher = EnricherMethod["enrich"];

/** If an enricher fails, the request fails too: an incomplete context could turn on a flag for the wrong users. */
export async function enrichContext(
  context: Context,
  enrichers: readonly ContextEnricher[],
  request: EnricherRequest,
): Promise<Context> {
  const { currentTime } = context;
  // Enrichers written for the official SDK or the old proxy expect a `Date` here.
  let enriched: Context =
    typeof currentTime === "string" ? { ...context, currentTime: new Date(currentTime) } : context;
  for (const enricher of enrichers) {
    // oxlint-disable-next-line no-await-in-loop -- each one receives the result of the previous one
    enriched = await runEnricher(enricher, enriched, request);
  }
  return enriched;
}

/** NOTE: wraps errors, so that a status in one is not sent to the client. */
async function runEnricher(
  enricher: ContextEnricher,
  context: Context,
  request: EnricherRequest,
): Promise<Context> {
  const name = enricher.name === "" ? "without a name" : enricher.name;
  let enriched: Context;
  try {
    enriched = await enricher(context, request);
  } catch (cause) {
    throw new Error(`The context enricher ${name} failed: ${String(cause)}`, { cause });
  }
  if (typeof enriched === "object" && enriched !== null) return enriched;
  throw new TypeError(`The context enricher ${name} did not return a context: return an object`);
}
