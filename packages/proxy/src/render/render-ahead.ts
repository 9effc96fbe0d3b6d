import type { FlagSource, Preparation } from "flags-sdk";
import type { Renderer } from "./rendering.ts";

/**
 * Has each new snapshot written before it is in force: the first request that asks it would else
 * write all flags that are new, and hold up all others meanwhile. Returns how to end that.
 */
export function renderAhead(
  sources: readonly FlagSource[],
  renderers: readonly Renderer[],
): () => void {
  const prepare: Preparation = function* (snapshot, former) {
    for (const renderer of renderers) yield* renderer.renderAhead(snapshot, former);
  };
  const stops = sources.map((source) => source.beforeChange?.(prepare));
  return () => stops.forEach((stop) => stop?.());
}
