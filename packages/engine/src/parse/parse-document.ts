import type { Diagnostic, Report } from "./diagnostic.ts";
import { complete } from "../steps.ts";
import type { Steps } from "../steps.ts";
import { isObject, kindOf } from "./json.ts";
import type { JsonObject } from "./json.ts";
import type { Feature, FeatureDocument, Segment } from "./model.ts";
import { parseConstraints } from "./parse-constraint.ts";
import { parseFeature } from "./parse-feature.ts";

/** The input is not a document of flags; the message says where and why. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
}

/**
 * Checks a document of the kind `{ features: [...], segments?: [...] }`.
 *
 * A document whose frame is broken is refused as a whole. Within a sound frame a malformed part
 * costs only what it belongs to: the strategy, or the flag, is off, and a diagnostic says so.
 *
 * @throws {DocumentError} when the frame is broken.
 */
export function parseDocument(input: unknown): FeatureDocument {
  return complete(parseInSteps(input));
}

/** Does what `parseDocument` does, with a pause after each flag and segment. */
export function* parseInSteps(input: unknown): Steps<FeatureDocument> {
  if (!isObject(input)) {
    throw new DocumentError(`A flag document must be an object: found ${kindOf(input)}`);
  }
  const diagnostics: Diagnostic[] = [];
  const reportOn =
    (subject: string): Report =>
    (message) =>
      diagnostics.push({ subject, message });
  const segments = yield* parseSegments(input["segments"], reportOn);
  const features = yield* parseFeatures(input["features"], reportOn);
  return { features, segments, diagnostics };
}

type ReportOn = (subject: string) => Report;

function* parseFeatures(input: unknown, reportOn: ReportOn): Steps<readonly Feature[]> {
  const features = new Map<string, Feature>();
  for (const [index, entry] of objects(input, "features").entries()) {
    const { name } = entry;
    if (typeof name !== "string") {
      throw new DocumentError(`features[${index}].name must be text: found ${kindOf(name)}`);
    }
    const report = reportOn(`feature ${JSON.stringify(name)}`);
    if (features.has(name)) report("Stands in the document twice: the later one counts");
    features.set(name, parseFeature(name, entry, report));
    yield;
  }
  return [...features.values()];
}

function* parseSegments(input: unknown, reportOn: ReportOn): Steps<ReadonlyMap<unknown, Segment>> {
  const segments = new Map<unknown, Segment>();
  if (input === undefined || input === null) return segments;
  for (const entry of objects(input, "segments")) {
    const { id } = entry;
    const report = reportOn(`segment ${JSON.stringify(id)}`);
    if (id === undefined) report("A segment must have an id: nothing can refer to this one");
    else segments.set(id, { constraints: parseConstraints(entry["constraints"], report) });
    yield;
  }
  return segments;
}

function objects(input: unknown, path: string): readonly JsonObject[] {
  if (!Array.isArray(input)) {
    throw new DocumentError(`${path} must be a list: found ${kindOf(input)}`);
  }
  for (const [index, entry] of input.entries()) {
    if (isObject(entry)) continue;
    throw new DocumentError(`${path}[${index}] must be an object: found ${kindOf(entry)}`);
  }
  return input as readonly JsonObject[];
}
