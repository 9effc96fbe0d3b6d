import { createHash } from "node:crypto";
import type { FeatureDefinitions } from "flags-sdk";
import type { DefinitionsQuery } from "./definitions-query.ts";
import { inlineSegments } from "./inline-segments.ts";

/** Which definitions are asked for, and in which form. */
interface DefinitionsRequest extends DefinitionsQuery {
  readonly inlineSegments: boolean;
}

/** Definitions as they are sent. */
interface DefinitionsDocument {
  readonly text: string;
  readonly entityTag: string;
}

type DefinitionsReader = (
  definitions: FeatureDefinitions,
  request: DefinitionsRequest,
) => DefinitionsDocument;

/** Returns a reader that writes each unfiltered document once; filtered ones are written each time. */
export function createDefinitionsReader(): DefinitionsReader {
  const whole = new WeakMap<FeatureDefinitions, Map<boolean, DefinitionsDocument>>();
  return (definitions, request) => {
    if (isFiltered(request)) return writeDocument(definitions, request);

    const forms = whole.get(definitions) ?? new Map<boolean, DefinitionsDocument>();
    whole.set(definitions, forms);
    const document = forms.get(request.inlineSegments) ?? writeDocument(definitions, request);
    forms.set(request.inlineSegments, document);
    return document;
  };
}

function isFiltered({ projects, namePrefix }: DefinitionsQuery): boolean {
  return projects.length > 0 || namePrefix !== "";
}

function writeDocument(
  { version, features, segments }: FeatureDefinitions,
  request: DefinitionsRequest,
): DefinitionsDocument {
  const chosen = features.filter((feature) => isChosen(feature, request));
  const text = JSON.stringify(
    request.inlineSegments
      ? { version, features: inlineSegments(chosen, segments) }
      : { version, features: chosen, segments },
  );
  const digest = createHash("sha256").update(text).digest("hex");
  return { text, entityTag: `W/"${digest.slice(0, 32)}"` };
}

function isChosen(feature: unknown, { projects, namePrefix }: DefinitionsQuery): boolean {
  const { name, project } = feature as { readonly name?: unknown; readonly project?: unknown };
  return (
    String(name).startsWith(namePrefix) &&
    (projects.length === 0 || projects.includes(String(project)))
  );
}
