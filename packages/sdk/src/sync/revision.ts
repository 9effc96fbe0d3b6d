import { createHash } from "node:crypto";
import type { FeatureDefinitions } from "../flag-source.ts";

const LENGTH = 16;

/** Names the content of definitions: equal wherever they say the same, in whatever order of keys. */
export function revisionOf({ features, segments }: FeatureDefinitions): string {
  const text = JSON.stringify({ features, segments }, sortKeys);
  return createHash("sha256").update(text).digest("hex").slice(0, LENGTH);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  // Names of flags and fields have no order of their own; the order of lists has a meaning.
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
