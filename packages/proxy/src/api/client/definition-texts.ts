import { createHash } from "node:crypto";
import type { FeatureText, SegmentText } from "flags-engine";
import type { FeatureDefinitions } from "flags-sdk";

interface Digested {
  readonly digest: string;
}

/** Definitions, each as JSON and each but once, in an order that is the same in every proxy. */
export interface DefinitionTexts {
  readonly features: readonly (FeatureText & Digested)[];
  readonly segments: readonly (SegmentText & Digested)[];
}

const whole = new WeakMap<FeatureDefinitions, DefinitionTexts>();

/** Writes definitions as JSON, those of one document once. */
export function toDefinitionTexts(definitions: FeatureDefinitions): DefinitionTexts {
  const texts = whole.get(definitions) ?? writeTexts(definitions);
  whole.set(definitions, texts);
  return texts;
}

// What is in a document was checked when it was received: these are objects, and flags have names.
type Named = FeatureText["feature"];
type Identified = Partial<SegmentText["segment"]>;

function writeTexts(definitions: FeatureDefinitions): DefinitionTexts {
  const features = new Map(
    (definitions.features as readonly Named[]).map((feature) => [
      feature.name,
      { feature, ...writeText(feature) },
    ]),
  );
  const segments = new Map(
    (definitions.segments as readonly Identified[]).flatMap((segment) =>
      hasId(segment) ? [[segment.id, { segment, ...writeText(segment) }]] : [],
    ),
  );
  return {
    features: [...features.values()].toSorted((a, b) => compare(a.feature.name, b.feature.name)),
    segments: [...segments.values()].toSorted((a, b) => compare(a.segment.id, b.segment.id)),
  };
}

/** No strategy can refer to a segment without an id, or with one of another kind. */
function hasId(segment: Identified): segment is SegmentText["segment"] {
  return typeof segment.id === "number" || typeof segment.id === "string";
}

// A document that came by a delta has most of its parts from the one before.
const written = new WeakMap<object, Digested & { readonly text: string }>();

function writeText(definition: object): Digested & { readonly text: string } {
  const known = written.get(definition);
  if (known !== undefined) return known;
  const text = JSON.stringify(definition);
  const fresh = { text, digest: createHash("sha256").update(text).digest("base64") };
  written.set(definition, fresh);
  return fresh;
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === typeof b) return a === b ? 0 : a < b ? -1 : 1;
  return typeof a === "number" ? -1 : 1;
}
