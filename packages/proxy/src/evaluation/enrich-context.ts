import type { Context } from "flags-engine";
import type { ContextEnricher, EnricherRequest } from "../extensions.ts";

/**
 * Runs the enrichers one after the other. An enricher that fails makes the request fail: flags for a
 * context other than the intended one could reach the wrong people.
 */
export async function enrichContext(
  context: Context,
  enrichers: readonly ContextEnricher[],
  request: EnricherRequest,
): Promise<Context> {
  const { currentTime } = context;
  let enriched = typeof currentTime === "string" ? withDate(context, currentTime) : context;
  for (const enricher of enrichers) {
    // oxlint-disable-next-line no-await-in-loop -- each one works on the result of the one before
    enriched = await runEnricher(enricher, enriched, request);
  }
  return enriched;
}

/** The official SDK has a `Date` there, and so did the Unleash proxy for Node. */
function withDate(context: Context, currentTime: string): Context {
  return { ...context, currentTime: new Date(currentTime) };
}

/** NOTE: what an enricher throws is wrapped, lest a status it carries be taken for an answer. */
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
  throw new TypeError(`The context enricher ${name} did not return a context`);
}
