import { createHash } from "node:crypto";
import { inlineSegments } from "flags-engine";
import { CodedBody } from "flags-server-kit/http";
import type { EnvironmentState } from "./environment-state.ts";
import type { FeatureQuery } from "./feature-query.ts";
import { selectFeatures } from "./select-features.ts";

/** Which flags are asked for, and in which form. */
export interface DocumentRequest extends FeatureQuery {
  /** For SDKs that do not know segments. */
  readonly inlineSegments: boolean;
}

/** Flags as they are sent. */
export interface FeatureDocument {
  readonly entityTag: string;
  readonly text: string;
  readonly coded: CodedBody;
}

const VERSION = 2;

/** Writes the answer to a question. Equal content has an equal entity tag, on every replica. */
export function writeFeatureDocument(
  state: EnvironmentState,
  request: DocumentRequest,
): FeatureDocument {
  const query = JSON.stringify(describeQuery(request));
  const content = writeContent(state, request);
  const entityTag = `"${shortHash(query + content)}:${state.revision}:v1"`;
  const meta = { revisionId: state.revision, etag: entityTag, queryHash: shortHash(query) };
  const text = `{"version":${VERSION},${content},"query":${query},"meta":${JSON.stringify(meta)}}`;
  return { entityTag, text, coded: new CodedBody(text) };
}

/** The lists of flags and segments, as members of an object. */
function writeContent(state: EnvironmentState, request: DocumentRequest): string {
  const { features, segments } = selectFeatures(state, request);
  if (request.inlineSegments) {
    const inlined = inlineSegments(
      features.map(({ feature }) => feature),
      segments.map(({ segment }) => segment),
    );
    return `"features":${JSON.stringify(inlined)}`;
  }
  return `"features":${joinTexts(features)},"segments":${joinTexts(segments)}`;
}

function joinTexts(entries: readonly { readonly text: string }[]): string {
  return `[${entries.map(({ text }) => text).join(",")}]`;
}

/** The question as it was understood. */
function describeQuery({ environment, projects, namePrefix, tags, ...form }: DocumentRequest) {
  return {
    environment,
    inlineSegmentConstraints: form.inlineSegments,
    ...(projects !== undefined && { project: projects }),
    ...(namePrefix !== "" && { namePrefix }),
    ...(tags.length > 0 && { tag: tags.map(splitTag) }),
  };
}

function splitTag(tag: string): readonly [type: string, value: string] {
  const end = tag.indexOf(":");
  return [tag.slice(0, end), tag.slice(end + 1)];
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
