import { parseDocument } from "flags-engine";
import type { FeatureDocument } from "flags-engine";
import type { FeatureDefinitions } from "../flag-source.ts";
import { revisionOf } from "./revision.ts";

/** A document in both forms, and the name of its content. */
export interface CheckedDocument {
  readonly document: FeatureDocument;
  readonly definitions: FeatureDefinitions;
  readonly revision: string;
}

const DEFAULT_VERSION = 2;

/** Checks a document; throws a `DocumentError` when its frame is broken. */
export function checkDocument(input: unknown): CheckedDocument {
  const document = parseDocument(input);
  const definitions = toDefinitions(input as RawDocument);
  return { document, definitions, revision: revisionOf(definitions) };
}

/** A document whose frame `parseDocument` found sound. */
interface RawDocument {
  readonly version?: unknown;
  readonly features: readonly unknown[];
  readonly segments?: readonly unknown[] | null;
}

function toDefinitions({ version, features, segments }: RawDocument): FeatureDefinitions {
  return {
    version: typeof version === "number" ? version : DEFAULT_VERSION,
    features,
    segments: segments ?? [],
  };
}
