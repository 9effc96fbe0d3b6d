import type { Settings } from "flags-sdk/neutral";
import type { FlagUsage } from "./usage-buffer.ts";

/** Unleash rejects bodies above 100 kB; the rest is for the JSON around the list. */
const MAX_BATCH_BYTES = 90 * 1024;
const MAX_BATCH_ENTRIES = 1000;

/** The members that all entries of a bulk report have in common. */
export interface BulkOrigin {
  /** The environment of the API token: the upstream ignores entries of any other. */
  readonly environment: string;
  /** ISO 8601, the start of an hour. */
  readonly timestamp: string;
}

export function toBulkOrigin(environment: string, nowMs: number): BulkOrigin {
  const hour = new Date(nowMs);
  hour.setUTCMinutes(0, 0, 0);
  return { environment, timestamp: hour.toISOString() };
}

export function toBulkBody(lists: {
  readonly applications?: readonly unknown[];
  readonly metrics?: readonly unknown[];
  readonly impactMetrics?: readonly unknown[];
}): string {
  return JSON.stringify({ applications: [], metrics: [], ...lists });
}

export function toBulkMetric(
  { appName, flag, counts: { yes, no, variants = {} } }: FlagUsage,
  { environment, timestamp }: BulkOrigin,
): object {
  return {
    featureName: flag,
    appName,
    environment,
    timestamp,
    yes,
    no,
    ...(Object.keys(variants).length > 0 && { variants }),
  };
}

/**
 * Divides a list into chunks that each fit into one report.
 *
 * @param toEntry returns the entry of an item in the report
 */
export function* toChunks<Item>(
  items: Iterable<Item>,
  toEntry: (item: Item) => unknown,
): Generator<readonly Item[], undefined> {
  let chunk: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = sizeOf(toEntry(item));
    const fits = bytes + size <= MAX_BATCH_BYTES && chunk.length < MAX_BATCH_ENTRIES;
    if (!fits && chunk.length > 0) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(item);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
  return undefined;
}

function sizeOf(entry: unknown): number {
  // NOTE: includes the comma before the next entry.
  return Buffer.byteLength(JSON.stringify(entry)) + 1;
}

// A token has the form `project:environment.secret`. If there is more than one dot after the colon
// it is ambiguous, because the name of an environment may contain a dot.
const TOKEN = /^(?:Bearer\s+)?[^:]+:([^:.]+)\.[^:.]+$/i;

/**
 * Returns the environment of the API token, which bulk reports require; undefined if it is missing or ambiguous, or if a
 * function may replace the token in each request.
 */
export function environmentOf({
  token,
  customHeaders,
  customHeadersFunction,
}: Settings["credentials"]): string | undefined {
  if (customHeadersFunction !== undefined) return undefined;
  return TOKEN.exec(customHeaders["authorization"] ?? token ?? "")?.[1];
}
