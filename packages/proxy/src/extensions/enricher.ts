import type { IncomingHttpHeaders } from "node:http";
import type { Context } from "flags-engine";

/** The part of a request that an enricher may read. */
export interface EnricherRequest {
  /** Header names are in lower case. Holds the client key: do not log it. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** The caller's address, forwarded ones considered as `trustProxy` says. */
  readonly remoteAddress: string;
}

interface EnricherMethod {
  enrich(context: Context, request: EnricherRequest): Context | Promise<Context>;
}

/**
 * Completes or corrects the context of a request before flags are evaluated for it.
 *
 * Receives the context so far and returns the one to use, or a promise of it. All values in it are
 * texts, except `currentTime`, which is a `Date`. Enrichers run in order, each on the result of the
 * previous one.
 *
 * The type is that of a method, whose parameters TypeScript compares in both directions: an enricher
 * may declare a narrower context, such as the one of the official SDK.
 */
export type ContextEnricher = EnricherMethod["enrich"];
