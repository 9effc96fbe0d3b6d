import { createHash } from "node:crypto";
import type { FeatureDefinitions } from "../flag-source.ts";

const LENGTH = 16;

/** Names the content of definitions: equal wherever they say the same, in whatever order of keys. */
export function revisionOf({ features, segments }: FeatureDefinitions): string {
  const hash = createHash("sha256");
  for (const feature of features) hash.update(digestOf(feature));
  hash.update("segments");
  for (const segment of segments) hash.update(digestOf(segment));
  return hash.digest("hex").slice(0, LENGTH);
}

// Definitions that come by a delta are, but for what it changes, the ones from before.
const digests = new WeakMap<object, string>();

function digestOf(definition: unknown): string {
  if (typeof definition !== "object" || definition === null) return digest(definition);
  const known = digests.get(definition) ?? digest(definition);
  digests.set(definition, known);
  return known;
}

function digest(definition: unknown): string {
  const text = JSON.stringify(definition, sortKeys) ?? "";
  return createHash("sha256").update(text).digest("base64");
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  // Names of flags and fields have no order of their own; the order of lists has a meaning.
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
