import { createHash } from "node:crypto";
import { type FeatureText, inlineSegments, type SegmentText } from "flags-engine";
import type { FeatureDefinitions } from "flags-sdk";
import { isRecord } from "flags-server-kit/neutral";
import { LRUCache } from "lru-cache";
import {
  createFilter,
  idOfRestriction,
  isUnrestricted,
  type Restriction,
} from "../access/restriction.ts";
import { toEntityTag } from "flags-sdk/neutral";
import { toBinaryString } from "../http/response-body.ts";

export interface WrittenDocument {
  readonly text: string;
  readonly entityTag: string;
}

interface DefinitionsRequest extends Restriction {
  readonly inlineSegments: boolean;
}

export type DefinitionsReader = (
  definitions: FeatureDefinitions,
  request: DefinitionsRequest,
) => WrittenDocument;

/** Limit of the cached documents for each document of the upstream, in characters. */
const MAX_CACHED_LENGTH = 64 * 1024 * 1024;

/** Estimated memory of a cache entry in addition to its texts, as a length. */
const OVERHEAD_LENGTH = 500;

/** Creates a reader that caches documents: SDKs poll for the same ones again and again. */
export function createDefinitionsReader(): DefinitionsReader {
  const caches = new WeakMap<FeatureDefinitions, LRUCache<string, WrittenDocument>>();
  return (definitions, request) => {
    const cache = caches.get(definitions) ?? createCache();
    caches.set(definitions, cache);
    const key = `${request.inlineSegments} ${idOfRestriction(request)}`;
    const document = cache.get(key) ?? writeDefinitions(definitions, request);
    cache.set(key, document);
    return document;
  };
}

function createCache(): LRUCache<string, WrittenDocument> {
  return new LRUCache({
    maxSize: MAX_CACHED_LENGTH,
    // NOTE: a filter can be much longer than a document without flags.
    sizeCalculation: ({ text }, key) => text.length + key.length + OVERHEAD_LENGTH,
  });
}

function writeDefinitions(
  { version, features, segments }: FeatureDefinitions,
  request: DefinitionsRequest,
): WrittenDocument {
  const all = withoutDuplicates(features);
  // NOTE: without filters, includes entries that are not valid flags here: other versions can support them.
  const isIncluded = createFilter(request);
  const chosen = isUnrestricted(request)
    ? all
    : all.filter((feature) => isRecord(feature) && isIncluded(feature));
  return writeDocument(
    request.inlineSegments
      ? { version, features: inlineSegments(chosen, segments) }
      : { version, features: chosen, segments },
  );
}

/** Of flags with the same name, the last one replaces the first one, in its position, as in an evaluation. */
function withoutDuplicates(features: readonly unknown[]): readonly unknown[] {
  return [...new Map(features.map((feature) => [nameOf(feature), feature])).values()];
}

/** Serializes the definition of one flag; undefined if no flag has this name. */
export function writeDefinition(
  { features, segments }: FeatureDefinitions,
  { name, inlineSegments: isInlined }: { readonly name: string; readonly inlineSegments: boolean },
): WrittenDocument | undefined {
  const found = features.findLast((feature) => nameOf(feature) === name);
  if (found === undefined) return undefined;
  return writeDocument(isInlined ? inlineSegments([found], segments)[0] : found);
}

function nameOf(feature: unknown): unknown {
  return (feature as { readonly name?: unknown }).name;
}

function writeDocument(value: unknown): WrittenDocument {
  const text = JSON.stringify(value);
  return { text: toBinaryString(text), entityTag: toEntityTag(text) };
}

interface Digested {
  readonly digest: string;
}

/** Definitions without duplicates, each as JSON, in an order that is the same in every proxy. */
export interface DefinitionTexts {
  readonly features: readonly (FeatureText & Digested)[];
  readonly segments: readonly (SegmentText & Digested)[];
}

const textsOf = new WeakMap<FeatureDefinitions, DefinitionTexts>();

export function toDefinitionTexts(definitions: FeatureDefinitions): DefinitionTexts {
  const texts = textsOf.get(definitions) ?? writeTexts(definitions);
  textsOf.set(definitions, texts);
  return texts;
}

// Documents are validated when they are received: entries are objects, and flags have names.
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

/** No strategy can refer to a segment without an id, or with an id of another type. */
function hasId(segment: Identified): segment is SegmentText["segment"] {
  return typeof segment.id === "number" || typeof segment.id === "string";
}

// After a delta, most definitions of the new document are the same objects as before.
const textOf = new WeakMap<object, Digested & { readonly text: string }>();

function writeText(definition: object): Digested & { readonly text: string } {
  const cached = textOf.get(definition);
  if (cached !== undefined) return cached;
  const text = JSON.stringify(definition);
  const written = { text, digest: createHash("sha256").update(text).digest("base64") };
  textOf.set(definition, written);
  return written;
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === typeof b) return a === b ? 0 : a < b ? -1 : 1;
  return typeof a === "number" ? -1 : 1;
}
