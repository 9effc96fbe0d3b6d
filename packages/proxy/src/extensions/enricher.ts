import type { IncomingHttpHeaders } from "node:http";
import type { Context } from "flags-engine";

/** The part of a request that an enricher may read. */
export interface EnricherRequest {
  /** Header names are in lower case. Holds the client key: do not log it. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** The caller's address, forwarded ones considered as `trustProxy` says. */
  readonly remoteAddress: string;
}

/**
 * Completes or corrects the context of a request before flags are evaluated for it.
 *
 * Receives the context so far and returns the one to use, or a promise of it. Enrichers run in the
 * order they were given, each on the result of the one before.
 */
export type ContextEnricher = (
  context: Context,
  request: EnricherRequest,
) => Context | Promise<Context>;
