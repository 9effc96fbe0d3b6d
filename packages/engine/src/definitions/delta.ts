import { DocumentError, describeType, requireObject, requireObjects } from "../parse/json.ts";
import type { JsonObject } from "../parse/json.ts";

/** A flag as one line of JSON, and the fields that identify it once it is removed. */
export interface FeatureText {
  readonly feature: { readonly name: string; readonly project?: string | undefined };
  readonly text: string;
}

/** A segment as one line of JSON, and its id. */
export interface SegmentText {
  readonly segment: { readonly id: number | string };
  readonly text: string;
}

/** A message that brings an SDK to a revision. */
export interface DeltaMessage {
  /** The revision of the SDK after it has applied the message. */
  readonly id: number;
  /** The number of events. */
  readonly size: number;
  /** The message as one line of JSON. */
  readonly text: string;
}

// Within one revision, segments are added before the flags that use them and removed after them.
const KINDS = ["segment-updated", "feature-updated", "feature-removed", "segment-removed"] as const;

/** One change since a revision. */
interface Change {
  readonly revision: number;
  readonly kind: (typeof KINDS)[number];
  /** The content of the event, as members of a JSON object without braces. */
  readonly members: string;
}

export function featureUpdated(revision: number, { text }: FeatureText): Change {
  return { revision, kind: "feature-updated", members: `"feature":${text}` };
}

export function featureRemoved(revision: number, { feature }: FeatureText): Change {
  const { name: featureName, project = "default" } = feature;
  const members = JSON.stringify({ featureName, project });
  return { revision, kind: "feature-removed", members: members.slice(1, -1) };
}

export function segmentUpdated(revision: number, { text }: SegmentText): Change {
  return { revision, kind: "segment-updated", members: `"segment":${text}` };
}

export function segmentRemoved(revision: number, { segment }: SegmentText): Change {
  return {
    revision,
    kind: "segment-removed",
    members: `"segmentId":${JSON.stringify(segment.id)}`,
  };
}

/** Writes a message that brings an SDK to `revision`. Orders the changes so that they apply. */
export function writeChanges(revision: number, changes: readonly Change[]): DeltaMessage {
  const ordered = changes.toSorted((a, b) => a.revision - b.revision || rank(a) - rank(b));
  const events = ordered.map(
    ({ revision: id, kind, members }) => `{"eventId":${id},"type":"${kind}",${members}}`,
  );
  return { id: revision, size: events.length, text: `{"events":[${events.join(",")}]}` };
}

function rank({ kind }: Change): number {
  return KINDS.indexOf(kind);
}

/** Writes a message with the complete state, for an SDK whose revision is unknown or too old. */
export function writeHydration(
  revision: number,
  features: Iterable<FeatureText>,
  segments: Iterable<SegmentText>,
): DeltaMessage {
  const lists = `"features":${joinTexts(features)},"segments":${joinTexts(segments)}`;
  const text = `{"events":[{"eventId":${revision},"type":"hydration",${lists}}]}`;
  return { id: revision, size: 1, text };
}

function joinTexts(entries: Iterable<{ readonly text: string }>): string {
  return `[${Array.from(entries, ({ text }) => text).join(",")}]`;
}

const EVENT_ID = /^\s*(?:W\/)?"?(\d{1,15})"?\s*$/i;

/** Parses the revision that an SDK sends as an ETag or event id. Undefined if it is not valid. */
export function parseEventId(text: string | undefined): number | undefined {
  const [, digits] = EVENT_ID.exec(text ?? "") ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Flags and segments as the upstream sent them, not yet parsed. */
export interface FeaturesState {
  readonly features: readonly unknown[];
  readonly segments: readonly unknown[];
}

type Index = Map<unknown, unknown>;

/**
 * Applies the events of a delta response in order. Returns the new state and leaves the given one
 * unchanged. Ignores events of unknown types.
 *
 * @throws {DocumentError} if `events` is not a list of well-formed events
 */
export function applyDelta(state: FeaturesState, events: unknown): FeaturesState {
  const checkedEvents = requireObjects(events, "events");
  const features = indexBy("name", state.features);
  const segments = indexBy("id", state.segments);
  for (const event of checkedEvents) applyEvent(event, features, segments);
  return { features: [...features.values()], segments: [...segments.values()] };
}

function applyEvent(event: JsonObject, features: Index, segments: Index): void {
  switch (event["type"]) {
    case "hydration":
      replaceAll(features, "name", requireObjects(event["features"], "features"));
      replaceAll(segments, "id", requireObjects(event["segments"] ?? [], "segments"));
      break;
    case "feature-updated":
      features.set(keyOf(event["feature"], "name"), event["feature"]);
      break;
    case "feature-removed":
      features.delete(removedKey(event, "featureName"));
      break;
    case "segment-updated":
      segments.set(keyOf(event["segment"], "id"), event["segment"]);
      break;
    case "segment-removed":
      segments.delete(removedKey(event, "segmentId"));
      break;
    default:
      break;
  }
}

function replaceAll(index: Index, key: string, entries: readonly JsonObject[]): void {
  index.clear();
  for (const entry of entries) index.set(entry[key], entry);
}

function indexBy(key: string, entries: readonly unknown[]): Index {
  return new Map(entries.map((entry) => [keyOf(entry, key), entry]));
}

function keyOf(entry: unknown, key: string): unknown {
  return requireObject(entry, "A flag or segment of a delta")[key];
}

// NOTE: without this check, an event that does not name an entry would silently remove nothing.
function removedKey(event: JsonObject, field: string): unknown {
  const key = event[field];
  if (key === undefined || key === null) {
    throw new DocumentError(`A removal must have a ${field}: found ${describeType(key)}`);
  }
  return key;
}
