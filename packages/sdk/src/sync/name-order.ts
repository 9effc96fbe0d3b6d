import type { FeaturesState } from "flags-engine";

/**
 * Orders flags by name and segments by id: an order that does not tell in which order things
 * happened, so that replicas answer with one ETag.
 */
export function toNameOrder({ features, segments }: FeaturesState): FeaturesState {
  return { features: sortBy("name", features), segments: sortBy("id", segments) };
}

/** The same for a document of the upstream; one that is unusable stays as it is. */
export function toOrderedDocument(document: unknown): unknown {
  if (typeof document !== "object" || document === null) return document;
  const { features, segments } = document as Partial<FeaturesState>;
  if (!Array.isArray(features)) return document;
  const known = Array.isArray(segments) ? { segments: sortBy("id", segments) } : {};
  return { ...document, features: sortBy("name", features), ...known };
}

function sortBy(key: "name" | "id", entries: readonly unknown[]): readonly unknown[] {
  const keyOf = (entry: unknown): unknown => (entry as Record<string, unknown> | null)?.[key];
  return entries.toSorted((a, b) => compare(keyOf(a), keyOf(b)));
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [one, other] = [String(a), String(b)];
  return one === other ? 0 : one < other ? -1 : 1;
}
