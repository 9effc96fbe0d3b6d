import { inlineSegments } from "flags-engine";
import type { FeatureDefinitions } from "flags-sdk";
import type { DefinitionsQuery } from "./definitions-query.ts";
import { isSelected } from "./select-definitions.ts";
import { writeDocument, type WrittenDocument } from "./write-definition.ts";

/** Which definitions are asked for, and in which form. */
export interface DefinitionsRequest extends DefinitionsQuery {
  readonly inlineSegments: boolean;
}

/** Writes the definitions that a request asks for. */
export type DefinitionsReader = (
  definitions: FeatureDefinitions,
  request: DefinitionsRequest,
) => WrittenDocument;

/** Returns a reader that writes each unfiltered document once; filtered ones are written each time. */
export function createDefinitionsReader(): DefinitionsReader {
  const whole = new WeakMap<FeatureDefinitions, Map<boolean, WrittenDocument>>();
  return (definitions, request) => {
    if (isFiltered(request)) return writeDefinitions(definitions, request);

    const forms = whole.get(definitions) ?? new Map<boolean, WrittenDocument>();
    whole.set(definitions, forms);
    const document = forms.get(request.inlineSegments) ?? writeDefinitions(definitions, request);
    forms.set(request.inlineSegments, document);
    return document;
  };
}

function isFiltered({ projects, namePrefix }: DefinitionsQuery): boolean {
  return projects.length > 0 || namePrefix !== "";
}

function writeDefinitions(
  { version, features, segments }: FeatureDefinitions,
  request: DefinitionsRequest,
): WrittenDocument {
  const chosen = eachOnce(features).filter((feature) => isSelected(feature, request));
  return writeDocument(
    request.inlineSegments
      ? { version, features: inlineSegments(chosen, segments) }
      : { version, features: chosen, segments },
  );
}

/** Of flags with one name the later one counts, in the place of the first, as in an evaluation. */
function eachOnce(features: readonly unknown[]): readonly unknown[] {
  return [...new Map(features.map((feature) => [nameOf(feature), feature])).values()];
}

function nameOf(feature: unknown): unknown {
  return (feature as { readonly name?: unknown }).name;
}
