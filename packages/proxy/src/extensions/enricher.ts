import type { Context } from "flags-engine";

/**
 * Completes or corrects the context of a request before flags are evaluated for it.
 *
 * Receives the context so far and returns the one to use, or a promise of it. Enrichers run in the
 * order they were given, each on the result of the one before.
 */
export type ContextEnricher = (context: Context) => Context | Promise<Context>;
