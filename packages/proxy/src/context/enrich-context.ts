import type { Context } from "flags-engine";
import type { ContextEnricher, EnricherRequest } from "../extensions/enricher.ts";

/**
 * Runs the enrichers one after the other. One that fails fails the request: an answer for a context
 * that is not the intended one could show a flag to the wrong people.
 */
export async function enrichContext(
  context: Context,
  enrichers: readonly ContextEnricher[],
  request: EnricherRequest,
): Promise<Context> {
  let enriched = context;
  for (const enricher of enrichers) {
    // oxlint-disable-next-line no-await-in-loop -- each one works on the result of the one before
    enriched = await enricher(enriched, request);
    if (typeof enriched !== "object" || enriched === null) {
      throw new TypeError(
        `A context enricher must return a context: ${enricher.name || "an unnamed one"} did not`,
      );
    }
  }
  return enriched;
}
