import { DocumentError, describeType, requireObject, requireObjects } from "../parse/json.ts";
import type { JsonObject } from "../parse/json.ts";

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
