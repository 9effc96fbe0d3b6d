import { isRecord } from "flags-engine";
import type { FeaturesState } from "flags-engine";

/** The order, and with it the ETag of a replica, must not depend on the sequence of changes. */
export function sortState({ features, segments }: FeaturesState): FeaturesState {
  return { features: sortBy("name", features), segments: sortBy("id", segments) };
}

export function sortDocument(document: unknown): unknown {
  if (!isRecord(document)) return document;
  const { features, segments }: Partial<Record<string, unknown>> = document;
  if (!Array.isArray(features)) return document;
  const sortedSegments = Array.isArray(segments) ? { segments: sortBy("id", segments) } : {};
  return { ...document, features: sortBy("name", features), ...sortedSegments };
}

function sortBy(key: "name" | "id", entries: readonly unknown[]): readonly unknown[] {
  const keyOf = (entry: unknown): unknown => (entry as Record<string, unknown> | null)?.[key];
  return entries.toSorted((a, b) => compare(keyOf(a), keyOf(b)));
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [left, right] = [toText(a), toText(b)];
  return left === right ? 0 : left < right ? -1 : 1;
}

/** NOTE: `String()` fails for an object with a member `toString`. */
function toText(key: unknown): string {
  return typeof key === "string" ? key : (JSON.stringify(key) ?? "");
}
