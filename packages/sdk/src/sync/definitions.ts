import { parseInSteps } from "flags-engine";
import type { FeatureDocument, Steps } from "flags-engine";
import type { FeatureDefinitions } from "../flag-source.ts";
import type { Revisions } from "./revision.ts";

/** A document in both forms, and the name of its content. */
export interface CheckedDocument {
  readonly document: FeatureDocument;
  readonly definitions: FeatureDefinitions;
  readonly revision: string;
}

const DEFAULT_VERSION = 2;

/** Checks a document; throws a `DocumentError` when its frame is broken. */
export function* checkDocument(input: unknown, revisions: Revisions): Steps<CheckedDocument> {
  const document = yield* parseInSteps(input);
  const definitions = toDefinitions(input as RawDocument);
  return { document, definitions, revision: yield* revisions.of(definitions) };
}

/** A document whose frame `parseInSteps` found sound. */
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
