import type { FeatureUsage } from "flags-sdk";
import type { Settings } from "flags-sdk/neutral";
import type { ApplicationUsage } from "./application-usage.ts";

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

/** Creates the body of a bulk report. */
export function toBulkBody(lists: {
  readonly applications?: readonly unknown[];
  readonly metrics?: readonly unknown[];
  readonly impactMetrics?: readonly unknown[];
}): string {
  return JSON.stringify({ applications: [], metrics: [], ...lists });
}

/** Returns the entries of usage in the list `metrics`. */
export function toBulkMetrics(
  { appName, features }: ApplicationUsage,
  { environment, timestamp }: BulkOrigin,
): readonly object[] {
  return Object.entries(features).map(([featureName, { yes, no, variants = {} }]) => ({
    featureName,
    appName,
    environment,
    timestamp,
    yes,
    no,
    ...(Object.keys(variants).length > 0 && { variants }),
  }));
}

/** Groups usage into batches within the limits of a bulk report. */
export function* toBulkBatches(
  usages: Iterable<ApplicationUsage>,
  origin: BulkOrigin,
): Generator<readonly ApplicationUsage[], undefined> {
  const toEntries = (usage: ApplicationUsage): readonly object[] => toBulkMetrics(usage, origin);
  function* parts(): Generator<ApplicationUsage> {
    for (const usage of usages) yield* splitToFit(usage, toEntries);
  }
  yield* toChunks(parts(), toEntries);
  return undefined;
}

/** Divides usage of one application into parts that are no larger than a bulk report. */
export function splitToFit(
  usage: ApplicationUsage,
  toEntries: (part: ApplicationUsage) => readonly unknown[] = ({ features }) =>
    Object.entries(features),
): readonly ApplicationUsage[] {
  const chunks = toChunks(Object.entries(usage.features), (entry) =>
    toEntries(withFeatures(usage, [entry])),
  );
  return Array.from(chunks, (features) => withFeatures(usage, features));
}

/**
 * Divides a list into chunks that each fit into one report.
 *
 * @param toEntries returns the entries of an item in the report
 */
export function* toChunks<Item>(
  items: Iterable<Item>,
  toEntries: (item: Item) => readonly unknown[],
): Generator<readonly Item[], undefined> {
  let chunk: Item[] = [];
  let bytes = 0;
  let count = 0;
  for (const item of items) {
    const sizes = toEntries(item).map(sizeOf);
    const size = sizes.reduce((sum, one) => sum + one, 0);
    const fits = bytes + size <= MAX_BATCH_BYTES && count + sizes.length <= MAX_BATCH_ENTRIES;
    if (!fits && chunk.length > 0) {
      yield chunk;
      chunk = [];
      bytes = 0;
      count = 0;
    }
    chunk.push(item);
    bytes += size;
    count += sizes.length;
  }
  if (chunk.length > 0) yield chunk;
  return undefined;
}

function sizeOf(entry: unknown): number {
  // NOTE: includes the comma before the next entry.
  return Buffer.byteLength(JSON.stringify(entry)) + 1;
}

/** Halves the flags of a usage; undefined for a single flag. */
export function halveUsage(usage: ApplicationUsage): readonly ApplicationUsage[] | undefined {
  const features = Object.entries(usage.features);
  return features.length < 2
    ? undefined
    : halveList(features).map((half) => withFeatures(usage, half));
}

/** Halves a list; the first half is the larger one if the length is odd. */
export function halveList<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

/** NOTE: `fromEntries` defines properties, so it is safe for a name such as `__proto__`. */
export function withFeatures(
  usage: ApplicationUsage,
  features: readonly (readonly [name: string, counts: FeatureUsage])[],
): ApplicationUsage {
  return { ...usage, features: Object.fromEntries(features) };
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
