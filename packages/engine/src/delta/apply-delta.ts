import { DocumentError } from "../parse/parse-document.ts";
import { isObject, kindOf } from "../parse/json.ts";
import type { JsonObject } from "../parse/json.ts";

/** Flags and segments as the upstream sent them, not yet checked. */
export interface FeaturesState {
  readonly features: readonly unknown[];
  readonly segments: readonly unknown[];
}

type Index = Map<unknown, unknown>;

/**
 * Applies the events of a delta response, in order, and returns the new state; the old one stays
 * as it is. Events of unknown types are passed over.
 *
 * @throws {DocumentError} when `events` is not a list of well-formed events.
 */
export function applyDelta(state: FeaturesState, events: unknown): FeaturesState {
  if (!Array.isArray(events)) {
    throw new DocumentError(`events must be a list: found ${kindOf(events)}`);
  }
  const features = indexBy("name", state.features);
  const segments = indexBy("id", state.segments);
  for (const [index, event] of events.entries()) {
    if (!isObject(event)) {
      throw new DocumentError(`events[${index}] must be an object: found ${kindOf(event)}`);
    }
    applyEvent(event, features, segments);
  }
  return { features: [...features.values()], segments: [...segments.values()] };
}

function applyEvent(event: JsonObject, features: Index, segments: Index): void {
  switch (event["type"]) {
    case "hydration":
      replaceAll(features, "name", event["features"]);
      replaceAll(segments, "id", event["segments"] ?? []);
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

function replaceAll(index: Index, key: string, entries: unknown): void {
  if (!Array.isArray(entries)) {
    throw new DocumentError(`A hydration must list what it brings: found ${kindOf(entries)}`);
  }
  index.clear();
  for (const entry of entries as readonly unknown[]) index.set(keyOf(entry, key), entry);
}

function indexBy(key: string, entries: readonly unknown[]): Index {
  return new Map(entries.map((entry) => [keyOf(entry, key), entry]));
}

function keyOf(entry: unknown, key: string): unknown {
  if (!isObject(entry)) {
    throw new DocumentError(`A delta must bring objects: found ${kindOf(entry)}`);
  }
  return entry[key];
}

// What does not say what it removes would otherwise remove nothing, and nobody would notice.
function removedKey(event: JsonObject, field: string): unknown {
  const key = event[field];
  if (key === undefined || key === null) {
    throw new DocumentError(
      `A removal must name what it removes in ${field}: found ${kindOf(key)}`,
    );
  }
  return key;
}
