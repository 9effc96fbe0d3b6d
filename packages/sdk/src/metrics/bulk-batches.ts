import type { ApplicationUsage, FeatureUsage } from "../flag-source.ts";

/** Unleash refuses bodies above 100 kB; the rest is for what surrounds the list. */
const MAX_BATCH_BYTES = 90 * 1024;
const MAX_BATCH_ENTRIES = 1000;

/** What a bulk report says of every entry. */
export interface BulkOrigin {
  /** That of the API token: the upstream ignores entries of any other. */
  readonly environment: string;
  /** ISO 8601, the start of an hour. */
  readonly timestamp: string;
}

/** Usage of one or more applications that is sent in one request. */
export interface BulkBatch {
  readonly usages: readonly ApplicationUsage[];
  /** The entries of the list `metrics`, each as JSON. */
  readonly metrics: readonly string[];
}

/** The start of the hour of a moment, in ISO 8601. */
export function toHour(nowMs: number): string {
  const hour = new Date(nowMs);
  hour.setUTCMinutes(0, 0, 0);
  return hour.toISOString();
}

/**
 * Packs usage into batches up to the limits of a bulk report. If the caller stops before the last
 * batch, `putBack` gets the usage that was in none.
 */
export function* toBulkBatches(
  usages: Iterable<ApplicationUsage>,
  origin: BulkOrigin,
  putBack: (usage: ApplicationUsage) => void,
): Generator<BulkBatch, undefined, undefined> {
  const waiting: Part[] = [];
  try {
    for (const usage of usages) {
      waiting.push(...toParts(usage, origin));
      while (countFitting(waiting) < waiting.length) yield takeBatch(waiting);
    }
    while (waiting.length > 0) yield takeBatch(waiting);
  } finally {
    for (const { usage } of waiting) putBack(usage);
  }
  return undefined;
}

/** The batch of exactly these usages, whatever its size. */
export function toBulkBatch(usages: readonly ApplicationUsage[], origin: BulkOrigin): BulkBatch {
  return { usages, metrics: usages.flatMap((usage) => toMetrics(usage, origin)) };
}

/** The body of a bulk report; the elements of its lists are given as JSON. */
export function toBulkBody(lists: {
  readonly applications?: readonly string[];
  readonly metrics?: readonly string[];
  readonly impactMetrics?: readonly string[];
}): string {
  const { applications = [], metrics = [], impactMetrics } = lists;
  const impact = impactMetrics === undefined ? "" : `,"impactMetrics":[${impactMetrics.join(",")}]`;
  return `{"applications":[${applications.join(",")}],"metrics":[${metrics.join(",")}]${impact}}`;
}

/** Divides JSON texts into lists that each fit into one bulk report. */
export function chunkTexts(texts: readonly string[]): readonly (readonly string[])[] {
  const chunks: string[][] = [];
  let bytes = Infinity;
  for (const text of texts) {
    bytes += sizeOf(text);
    const current = chunks.at(-1);
    if (current !== undefined && bytes <= MAX_BATCH_BYTES && current.length < MAX_BATCH_ENTRIES) {
      current.push(text);
    } else {
      chunks.push([text]);
      bytes = sizeOf(text);
    }
  }
  return chunks;
}

/** Usage of one application that fits into a batch, unless it is of a single flag. */
interface Part {
  readonly usage: ApplicationUsage;
  readonly metrics: readonly string[];
  readonly bytes: number;
}

function toParts(usage: ApplicationUsage, origin: BulkOrigin): readonly Part[] {
  const features = Object.entries(usage.features);
  let first = 0;
  return chunkTexts(toMetrics(usage, origin)).map((metrics) => {
    const part = features.slice(first, first + metrics.length);
    first += metrics.length;
    const bytes = metrics.reduce((sum, text) => sum + sizeOf(text), 0);
    return { usage: { ...usage, features: Object.fromEntries(part) }, metrics, bytes };
  });
}

/** How many of the parts, from the first on, fit into one batch; at least one. */
function countFitting(parts: readonly Part[]): number {
  let bytes = 0;
  let entries = 0;
  const excess = parts.findIndex((part, index) => {
    bytes += part.bytes;
    entries += part.metrics.length;
    return index > 0 && (bytes > MAX_BATCH_BYTES || entries > MAX_BATCH_ENTRIES);
  });
  return excess === -1 ? parts.length : excess;
}

function takeBatch(waiting: Part[]): BulkBatch {
  const parts = waiting.splice(0, countFitting(waiting));
  return {
    usages: parts.map(({ usage }) => usage),
    metrics: parts.flatMap(({ metrics }) => metrics),
  };
}

function toMetrics(
  { appName, features }: ApplicationUsage,
  { environment, timestamp }: BulkOrigin,
): readonly string[] {
  return Object.entries(features).map(([featureName, { yes, no, variants = {} }]) => {
    const counts: FeatureUsage =
      Object.keys(variants).length > 0 ? { yes, no, variants } : { yes, no };
    return JSON.stringify({ featureName, appName, environment, timestamp, ...counts });
  });
}

function sizeOf(text: string): number {
  // NOTE: with the comma that separates it from the next one.
  return Buffer.byteLength(text) + 1;
}
