import { runToEnd } from "../steps.ts";
import type { Steps } from "../steps.ts";
import { createReport } from "./diagnostics.ts";
import type { Diagnostic, Report } from "./diagnostics.ts";
import {
  DocumentError,
  describeType,
  requireObject,
  requireObjects,
  textOrUndefined,
} from "./json.ts";
import type { JsonObject } from "./json.ts";
import type { Feature, FeatureDocument, Segment } from "./model.ts";
import { parseConstraints } from "./parse-constraint.ts";
import { parseFeature } from "./parse-feature.ts";

/**
 * Parses a document of the form `{ features: [...], segments?: [...] }`.
 *
 * Rejects a document whose outer structure is invalid. Inside a valid structure, a malformed part
 * only affects the strategy or flag that contains it: that strategy or flag is off, and a
 * diagnostic describes the problem.
 *
 * @throws {DocumentError} if the outer structure is invalid
 */
export function parseDocument(input: unknown): FeatureDocument {
  return runToEnd(parseInSteps(input));
}

/** Like `parseDocument`, with a pause after each flag and segment. */
export function* parseInSteps(input: unknown): Steps<FeatureDocument> {
  const document = requireObject(input, "A flag document");
  const diagnostics: Diagnostic[] = [];
  const reportOn = (subject: string): Report => createReport(diagnostics, subject);
  const segments = yield* parseSegments(document["segments"], reportOn);
  const features = yield* parseFeatures(document["features"], reportOn);
  return { features, segments, diagnostics };
}

function parseSegment({ name, constraints }: JsonObject, report: Report): Segment {
  return { name: textOrUndefined(name), constraints: parseConstraints(constraints, report) };
}

type ReportOn = (subject: string) => Report;

function* parseFeatures(input: unknown, reportOn: ReportOn): Steps<readonly Feature[]> {
  const features = new Map<string, Feature>();
  for (const [index, entry] of requireObjects(input, "features").entries()) {
    const { name } = entry;
    if (typeof name !== "string") {
      throw new DocumentError(
        `features[${index}].name must be a string: found ${describeType(name)}`,
      );
    }
    const report = reportOn(`flag ${JSON.stringify(name)}`);
    if (features.has(name)) report("The document contains this flag twice: the last entry wins");
    features.set(name, parseFeature(name, entry, report));
    yield;
  }
  return [...features.values()];
}

function* parseSegments(input: unknown, reportOn: ReportOn): Steps<ReadonlyMap<unknown, Segment>> {
  const segments = new Map<unknown, Segment>();
  if (input === undefined || input === null) return segments;
  for (const entry of requireObjects(input, "segments")) {
    const { id } = entry;
    const report = reportOn(`segment ${JSON.stringify(id)}`);
    if (id === undefined) report("A segment must have an id: no strategy can use this segment");
    else segments.set(id, parseSegment(entry, report));
    yield;
  }
  return segments;
}
