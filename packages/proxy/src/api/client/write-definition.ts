import { createHash } from "node:crypto";
import { inlineSegments } from "flags-engine";
import type { FeatureDefinitions } from "flags-sdk";

/** What is sent, and the name of its content. */
export interface WrittenDocument {
  readonly text: string;
  readonly entityTag: string;
}

interface DefinitionRequest {
  readonly name: string;
  readonly inlineSegments: boolean;
}

/** Writes a value as JSON. */
export function writeDocument(value: unknown): WrittenDocument {
  const text = JSON.stringify(value);
  const digest = createHash("sha256").update(text).digest("hex");
  return { text, entityTag: `W/"${digest.slice(0, 32)}"` };
}

/** Writes the definition of one flag; undefined when there is none of this name. */
export function writeDefinition(
  { features, segments }: FeatureDefinitions,
  { name, inlineSegments: isInlined }: DefinitionRequest,
): WrittenDocument | undefined {
  // Of two flags with one name the later one counts.
  const found = features.findLast((feature) => (feature as { name?: unknown }).name === name);
  if (found === undefined) return undefined;
  return writeDocument(isInlined ? inlineSegments([found], segments)[0] : found);
}
