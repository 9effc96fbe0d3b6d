import type { ImpactMetric, ImpactSample } from "./application-usage.ts";
import { toChunks } from "./bulk-report.ts";
import type { FairBudget } from "./usage-limits.ts";

/** One combination of impact metric and labels. */
export interface ImpactSeries {
  /** Two series with equal keys are added up. */
  readonly key: string;
  readonly metric: Omit<ImpactMetric, "samples">;
  readonly sample: ImpactSample;
  /** Estimated memory. */
  readonly bytes: number;
}

const SERIES_BYTES = 400;
const BUCKET_BYTES = 64;

/** Returns one series for each sample. */
export function toSeries({ samples, ...metric }: ImpactMetric): readonly ImpactSeries[] {
  return samples.map((sample) => ({
    key: keyOf(metric, sample),
    metric,
    sample,
    bytes: bytesOf(metric, sample),
  }));
}

/** Returns the series as a metric with one sample. */
export function toImpactMetric({ metric, sample }: ImpactSeries): ImpactMetric {
  return { ...metric, samples: [sample] };
}

/** Adds a later series to one with the same key: for gauges, the later value remains. */
export function addSeries(previous: ImpactSeries | undefined, series: ImpactSeries): ImpactSeries {
  if (previous === undefined || series.metric.type === "gauge") return series;
  return { ...series, sample: addSamples(previous.sample, series.sample) };
}

function bytesOf(metric: ImpactSeries["metric"], sample: ImpactSample): number {
  const labels = Object.entries(sample.labels);
  const texts = [metric.name, metric.help, ...labels.flat()];
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const buckets = "buckets" in sample ? sample.buckets.length : 0;
  return SERIES_BYTES + 2 * 2 * characters + BUCKET_BYTES * buckets;
}

function keyOf(metric: ImpactSeries["metric"], sample: ImpactSample): string {
  const labels = Object.entries(sample.labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const bounds = "buckets" in sample ? sample.buckets.map(({ le }) => le) : [];
  return JSON.stringify([metric.type, metric.name, labels, bounds]);
}

/** Adds samples of one series, whose buckets have equal bounds. */
function addSamples(previous: ImpactSample, sample: ImpactSample): ImpactSample {
  if ("value" in previous && "value" in sample) {
    return { ...sample, value: add(previous.value, sample.value) };
  }
  if (!("buckets" in previous) || !("buckets" in sample)) return sample;
  return {
    ...sample,
    count: add(previous.count, sample.count),
    sum: add(previous.sum, sample.sum),
    buckets: sample.buckets.map(({ le, count }, index) => ({
      le,
      count: add(count, previous.buckets[index]?.count ?? 0),
    })),
  };
}

// JSON has no infinity, and an upstream may reject a whole report that contains null instead.
const LARGEST = 1e300;

function add(a: number, b: number): number {
  return Math.min(Math.max(a + b, -LARGEST), LARGEST);
}

/** Impact metrics of one quota that were taken for sending in one request. */
export interface TakenImpactMetrics {
  readonly quotaId: string;
  readonly series: readonly ImpactSeries[];
  /** Entries of the list `impactMetrics`, each as JSON. */
  readonly texts: readonly string[];
}

/**
 * Receives every change: `add` when samples were accepted, `remove` when series were delivered or dropped.
 * `set` replaces delivered series with the samples that were accepted during the delivery.
 */
type ImpactJournal = (
  kind: "add" | "remove" | "set",
  quotaId: string,
  metrics: readonly ImpactMetric[],
) => void;

type SeriesByKey = Map<string, ImpactSeries>;

/**
 * Stores impact metrics until they are delivered, aggregated by metric and labels: SDKs report
 * increments of counters and histograms, and the latest value of gauges. So during an outage the
 * memory grows only with the number of different labels.
 */
export class ImpactMetricsBuffer {
  readonly #memory: FairBudget;
  readonly #seriesPerQuota: number;
  readonly #journal: ImpactJournal;
  readonly #pending = new Map<string, SeriesByKey>();
  /** What is being sent. */
  readonly #taken = new Map<string, SeriesByKey>();

  constructor(
    memory: FairBudget,
    seriesPerQuota: number,
    journal: ImpactJournal = () => undefined,
  ) {
    this.#memory = memory;
    this.#seriesPerQuota = seriesPerQuota;
    this.#journal = journal;
  }

  /** Whether nothing is pending or being sent. */
  get isEmpty(): boolean {
    return this.#pending.size === 0 && this.#taken.size === 0;
  }

  /** Returns the number of samples dropped because the limit of their quota is reached. */
  add(quotaId: string, metrics: readonly ImpactMetric[]): number {
    let dropped = 0;
    const accepted: ImpactMetric[] = [];
    for (const metric of metrics) {
      const series = toSeries(metric).filter((one) => this.#tryMerge(quotaId, one));
      dropped += metric.samples.length - series.length;
      const samples = series.map(({ sample }) => sample);
      if (samples.length > 0) accepted.push({ ...metric, samples });
    }
    if (accepted.length > 0) this.#journal("add", quotaId, accepted);
    return dropped;
  }

  /** Adds metrics of an earlier process, regardless of limits. */
  restore(quotaId: string, metrics: readonly ImpactMetric[]): void {
    for (const one of metrics.flatMap(toSeries)) this.#mergeOlder(quotaId, one);
  }

  /** Yields everything that is pending or being sent. Each total is computed when it is yielded. */
  *totals(): Generator<readonly [quotaId: string, metric: ImpactMetric], undefined, undefined> {
    const keys = [...listKeys(this.#pending)];
    for (const [quotaId, key] of listKeys(this.#taken)) {
      if (this.#pending.get(quotaId)?.has(key) !== true) keys.push([quotaId, key]);
    }
    for (const [quotaId, key] of keys) {
      const taken = this.#taken.get(quotaId)?.get(key);
      const pending = this.#pending.get(quotaId)?.get(key);
      const total = pending === undefined ? taken : addSeries(taken, pending);
      if (total !== undefined) yield [quotaId, toImpactMetric(total)];
    }
    return undefined;
  }

  /** Takes everything for sending; the memory stays claimed until it is released or put back. */
  take(): readonly TakenImpactMetrics[] {
    const quotas = [...this.#pending];
    this.#pending.clear();
    for (const [quotaId, series] of quotas) this.#taken.set(quotaId, series);
    return quotas.flatMap(([quotaId, series]) => toTaken(quotaId, [...series.values()]));
  }

  /** Returns metrics that could not be delivered. */
  putBack(taken: TakenImpactMetrics): void {
    const { quotaId, series } = taken;
    this.#forget(taken);
    for (const one of series) this.#mergeOlder(quotaId, one);
  }

  /** Removes metrics that were delivered. */
  release(taken: TakenImpactMetrics): void {
    const { quotaId, series } = taken;
    this.#forget(taken);
    const newer = this.#pending.get(quotaId);
    const removed = series.filter(({ key }) => newer?.has(key) !== true);
    const changed = series.flatMap(({ key }) => newer?.get(key) ?? []);
    if (removed.length > 0) this.#journal("remove", quotaId, removed.map(toImpactMetric));
    if (changed.length > 0) this.#journal("set", quotaId, changed.map(toImpactMetric));
  }

  /** Frees the memory of metrics that are no longer being sent. */
  #forget({ quotaId, series }: TakenImpactMetrics): void {
    const memory = this.#memory.shareOf(quotaId);
    const taken = this.#taken.get(quotaId);
    for (const { key, bytes } of series) {
      memory.release(bytes);
      taken?.delete(key);
    }
    if (taken?.size === 0) this.#taken.delete(quotaId);
  }

  /** Returns false if a limit is exceeded. */
  #tryMerge(quotaId: string, series: ImpactSeries): boolean {
    const existing = this.#pending.get(quotaId);
    const fits =
      existing?.has(series.key) === true ||
      ((existing?.size ?? 0) < this.#seriesPerQuota &&
        this.#memory.shareOf(quotaId).fits(series.bytes));
    if (fits) this.#merge(quotaId, series);
    return fits;
  }

  /** For gauges, the newer value remains. */
  #mergeOlder(quotaId: string, older: ImpactSeries): void {
    const quotas = [this.#pending, this.#taken];
    const hasNewer = quotas.some((series) => series.get(quotaId)?.has(older.key) === true);
    if (older.metric.type !== "gauge" || !hasNewer) this.#merge(quotaId, older);
  }

  #merge(quotaId: string, series: ImpactSeries): void {
    const seriesByKey = this.#pending.get(quotaId) ?? new Map<string, ImpactSeries>();
    this.#pending.set(quotaId, seriesByKey);
    const previous = seriesByKey.get(series.key);
    const merged = addSeries(previous, series);
    const memory = this.#memory.shareOf(quotaId);
    // NOTE: the size may change, because series with different help texts are merged.
    if (previous !== undefined) memory.release(previous.bytes);
    memory.claim(merged.bytes);
    seriesByKey.set(series.key, merged);
  }
}

function listKeys(
  quotas: ReadonlyMap<string, SeriesByKey>,
): readonly (readonly [quotaId: string, key: string])[] {
  return [...quotas].flatMap(([quotaId, series]) =>
    [...series.keys()].map((key) => [quotaId, key] as const),
  );
}

function toTaken(quotaId: string, series: readonly ImpactSeries[]): readonly TakenImpactMetrics[] {
  const chunks = toChunks(series, (one) => JSON.stringify(toImpactMetric(one)));
  return chunks.map(({ items, texts }) => ({ quotaId, series: items, texts }));
}
