import type { FlagSource, BeforeSwapHook } from "flags-sdk";
import type { Renderer } from "./rendering.ts";

/**
 * Prepares each new snapshot before it is published; otherwise the first request after a change would
 * write all new flags, and delay every other request meanwhile. Returns a function that stops it.
 */
export function renderAhead(
  sources: readonly FlagSource[],
  renderers: readonly Renderer[],
): () => void {
  const prepare: BeforeSwapHook = function* (snapshot, previous) {
    for (const renderer of renderers) yield* renderer.renderAhead(snapshot, previous);
  };
  const stops = sources.map((source) => source.beforeChange?.(prepare));
  return () => stops.forEach((stop) => stop?.());
}
