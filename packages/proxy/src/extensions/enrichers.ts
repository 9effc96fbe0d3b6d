import type { ContextEnricher } from "./enricher.ts";
import { type ExtensionShape, type LoadedExtensions, loadExtensions } from "./load-extensions.ts";

const enricherShape: ExtensionShape<ContextEnricher> = {
  displayName: "enrichers",
  allowed: "a function (context, request) that returns a context or a promise of it",
  isExtension: (value): value is ContextEnricher => typeof value === "function",
};

/** Loads context enrichers, in the order in which they run. */
export function loadEnrichers(
  entries: readonly unknown[],
  origin: string,
): Promise<LoadedExtensions<ContextEnricher>> {
  return loadExtensions(entries, origin, enricherShape);
}
