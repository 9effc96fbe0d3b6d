import type { FeatureUsage } from "flags-sdk";
import type { ApplicationUsage } from "./application-usage.ts";
import { isNotOffered } from "flags-sdk/neutral";

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

/** Usage of one or more applications that is sent in one request. */
export interface BulkBatch {
  readonly usages: readonly ApplicationUsage[];
  /** The entries of the list `metrics`, each as JSON. */
  readonly metrics: readonly string[];
}

/** Returns the start of the hour in ISO 8601. */
export function toHour(nowMs: number): string {
  const hour = new Date(nowMs);
  hour.setUTCMinutes(0, 0, 0);
  return hour.toISOString();
}

/** Groups usage into batches within the limits of a bulk report. */
export function* toBulkBatches(
  usages: Iterable<ApplicationUsage>,
  origin: BulkOrigin,
): Generator<BulkBatch, undefined, undefined> {
  let batch: { usages: ApplicationUsage[]; metrics: string[] } = { usages: [], metrics: [] };
  let bytes = 0;
  for (const usage of usages) {
    const features = Object.entries(usage.features);
    for (const part of toChunks(features, ([name, counts]) =>
      toBulkMetric(usage, name, counts, origin),
    )) {
      const partBytes = part.texts.reduce((sum, text) => sum + sizeOf(text), 0);
      const isFull =
        bytes + partBytes > MAX_BATCH_BYTES ||
        batch.metrics.length + part.texts.length > MAX_BATCH_ENTRIES;
      if (isFull && batch.usages.length > 0) {
        yield batch;
        batch = { usages: [], metrics: [] };
        bytes = 0;
      }
      batch.usages.push({ ...usage, features: Object.fromEntries(part.items) });
      batch.metrics.push(...part.texts);
      bytes += partBytes;
    }
  }
  if (batch.usages.length > 0) yield batch;
  return undefined;
}

/** Creates a batch of exactly these usages, regardless of its size. */
export function toBulkBatch(usages: readonly ApplicationUsage[], origin: BulkOrigin): BulkBatch {
  return { usages, metrics: usages.flatMap((usage) => toMetrics(usage, origin)) };
}

/** Creates the body of a bulk report from list entries in JSON. */
export function toBulkBody(lists: {
  readonly applications?: readonly string[];
  readonly metrics?: readonly string[];
  readonly impactMetrics?: readonly string[];
}): string {
  const { applications = [], metrics = [], impactMetrics } = lists;
  const impact = impactMetrics === undefined ? "" : `,"impactMetrics":[${impactMetrics.join(",")}]`;
  return `{"applications":[${applications.join(",")}],"metrics":[${metrics.join(",")}]${impact}}`;
}

/** A part of a list whose entries fit into one bulk report. */
interface Chunk<Item> {
  readonly items: readonly Item[];
  /** The items as JSON. */
  readonly texts: readonly string[];
}

/** Divides a list into chunks that each fit into one bulk report. */
export function toChunks<Item>(
  items: readonly Item[],
  toText: (item: Item) => string,
): readonly Chunk<Item>[] {
  const chunks: { items: Item[]; texts: string[] }[] = [];
  let bytes = Infinity;
  for (const item of items) {
    const text = toText(item);
    bytes += sizeOf(text);
    let current = chunks.at(-1);
    if (
      current === undefined ||
      bytes > MAX_BATCH_BYTES ||
      current.texts.length === MAX_BATCH_ENTRIES
    ) {
      current = { items: [], texts: [] };
      chunks.push(current);
      bytes = sizeOf(text);
    }
    current.items.push(item);
    current.texts.push(text);
  }
  return chunks;
}

/** Divides usage of one application into parts that are no larger than a bulk report. */
export function splitToFit(usage: ApplicationUsage): readonly ApplicationUsage[] {
  const chunks = toChunks(Object.entries(usage.features), (entry) => JSON.stringify(entry));
  return chunks.map(({ items }) => ({ ...usage, features: Object.fromEntries(items) }));
}

/** Halves a list of usages, or the flags of a single usage; returns undefined for a single flag. */
export function splitUsages(
  usages: readonly ApplicationUsage[],
): readonly [readonly ApplicationUsage[], readonly ApplicationUsage[]] | undefined {
  const [first] = usages;
  if (first === undefined) return undefined;
  if (usages.length > 1) return halveList(usages);
  const features = Object.entries(first.features);
  if (features.length < 2) return undefined;
  const [one, other] = halveList(features);
  return [
    [{ ...first, features: Object.fromEntries(one) }],
    [{ ...first, features: Object.fromEntries(other) }],
  ];
}

/** Halves a list; the first half is the larger one if the length is odd. */
export function halveList<Item>(
  items: readonly Item[],
): readonly [readonly Item[], readonly Item[]] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

function toMetrics(usage: ApplicationUsage, origin: BulkOrigin): readonly string[] {
  return Object.entries(usage.features).map(([name, counts]) =>
    toBulkMetric(usage, name, counts, origin),
  );
}

function toBulkMetric(
  { appName }: ApplicationUsage,
  featureName: string,
  { yes, no, variants = {} }: FeatureUsage,
  { environment, timestamp }: BulkOrigin,
): string {
  const counts: FeatureUsage =
    Object.keys(variants).length > 0 ? { yes, no, variants } : { yes, no };
  return JSON.stringify({ featureName, appName, environment, timestamp, ...counts });
}

function sizeOf(text: string): number {
  // NOTE: includes the comma before the next entry.
  return Buffer.byteLength(text) + 1;
}

/** Delay before trying bulk reports again with an upstream that lacks them: it may be upgraded. */
const RETRY_MS = 600_000;

/** An entry is invalid, the token has the wrong type, or the upstream expects another format. */
const REJECTED: ReadonlySet<number | undefined> = new Set([400, 403, 422]);

/** Tracks whether the upstream accepts bulk reports: usage of many applications in one request. */
export class BulkSupport {
  readonly #environment: string | undefined;
  readonly #monotonicMs: () => number;
  #suspended: "failed" | "rejected" | undefined;
  #retryAtMs = -Infinity;

  /**
   * @param environment the environment of the API token, which bulk reports require
   * @param monotonicMs a monotonic clock, in milliseconds
   */
  constructor(environment: string | undefined, monotonicMs: () => number) {
    this.#environment = environment;
    this.#monotonicMs = monotonicMs;
  }

  /** The environment to write into bulk reports; undefined while bulk reports must not be sent. */
  get environment(): string | undefined {
    const isUsable = this.#suspended === undefined && this.#monotonicMs() >= this.#retryAtMs;
    return isUsable ? this.#environment : undefined;
  }

  /** Records a failed bulk report. Returns true if its usage should be sent separately right away. */
  failed(status: number | undefined): boolean {
    if (isNotOffered(status)) {
      this.#retryAtMs = this.#monotonicMs() + RETRY_MS;
      return true;
    }
    if (REJECTED.has(status)) this.#suspended = "rejected";
    // The upstream may fail on a single entry: that must not block the others forever.
    if (status === 500) this.#suspended ??= "failed";
    return REJECTED.has(status);
  }

  /** Records an attempt without bulk reports, and whether the upstream accepted all of the usage. */
  sentSeparately(isAccepted: boolean): void {
    // All usage was accepted separately, so the upstream rejected the bulk format itself.
    if (this.#suspended === "rejected" && isAccepted)
      this.#retryAtMs = this.#monotonicMs() + RETRY_MS;
    this.#suspended = undefined;
  }
}
