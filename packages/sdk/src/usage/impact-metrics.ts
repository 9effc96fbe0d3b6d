import type { ImpactMetric, ImpactSample } from "../flag-source.ts";
import { toChunks } from "./bulk-report.ts";
import type { FairBudget } from "./fair-budget.ts";

interface Series {
  readonly metric: Omit<ImpactMetric, "samples">;
  readonly sample: ImpactSample;
  readonly bytes: number;
}

/** Impact metrics of one quota that were taken for sending in one request. */
export interface TakenImpactMetrics {
  readonly quotaId: string;
  readonly series: readonly (readonly [key: string, series: Series])[];
  /** Entries of the list `impactMetrics`, each as JSON. */
  readonly texts: readonly string[];
}

const SERIES_BYTES = 400;
const BUCKET_BYTES = 64;

/**
 * Stores impact metrics until they are delivered, aggregated by metric and labels: SDKs report
 * increments of counters and histograms, and the latest value of gauges. So during an outage the
 * memory grows only with the number of different labels.
 */
export class ImpactMetricsBuffer {
  readonly #memory: FairBudget;
  readonly #seriesPerQuota: number;
  readonly #quotas = new Map<string, Map<string, Series>>();

  constructor(memory: FairBudget, seriesPerQuota: number) {
    this.#memory = memory;
    this.#seriesPerQuota = seriesPerQuota;
  }

  /** Returns the number of samples dropped because the limit of their quota is reached. */
  add(quotaId: string, metrics: readonly ImpactMetric[]): number {
    let dropped = 0;
    for (const { samples, ...metric } of metrics) {
      for (const sample of samples) {
        const series = toSeries(metric, sample);
        if (this.#fits(quotaId, series)) this.#merge(quotaId, keyOf(series), series);
        else dropped += 1;
      }
    }
    return dropped;
  }

  /** Takes everything for sending; the memory stays claimed until it is released or put back. */
  take(): readonly TakenImpactMetrics[] {
    const quotas = [...this.#quotas];
    this.#quotas.clear();
    return quotas.flatMap(([quotaId, series]) => toTaken(quotaId, [...series]));
  }

  /** Returns metrics that could not be delivered. */
  putBack(taken: TakenImpactMetrics): void {
    const { quotaId, series } = taken;
    this.release(taken);
    for (const [key, older] of series) {
      const newer = this.#quotas.get(quotaId)?.get(key);
      if (newer?.metric.type !== "gauge") this.#merge(quotaId, key, older);
    }
  }

  /** Frees the memory of metrics that were delivered. */
  release({ quotaId, series }: TakenImpactMetrics): void {
    const memory = this.#memory.shareOf(quotaId);
    for (const [, { bytes }] of series) memory.release(bytes);
  }

  #fits(quotaId: string, series: Series): boolean {
    const existing = this.#quotas.get(quotaId);
    if (existing?.has(keyOf(series)) === true) return true;
    return (
      (existing?.size ?? 0) < this.#seriesPerQuota &&
      this.#memory.shareOf(quotaId).fits(series.bytes)
    );
  }

  #merge(quotaId: string, key: string, series: Series): void {
    const seriesByKey = this.#quotas.get(quotaId) ?? new Map<string, Series>();
    this.#quotas.set(quotaId, seriesByKey);
    const previous = seriesByKey.get(key);
    const merged = previous === undefined ? series : addSeries(previous, series);
    const memory = this.#memory.shareOf(quotaId);
    // NOTE: the size may change, because series with different help texts are merged.
    if (previous !== undefined) memory.release(previous.bytes);
    memory.claim(merged.bytes);
    seriesByKey.set(key, merged);
  }
}

function toTaken(
  quotaId: string,
  series: readonly (readonly [string, Series])[],
): readonly TakenImpactMetrics[] {
  const chunks = toChunks(series, ([, { metric, sample }]) =>
    JSON.stringify({ ...metric, samples: [sample] }),
  );
  return chunks.map(({ items, texts }) => ({ quotaId, series: items, texts }));
}

function toSeries(metric: Series["metric"], sample: ImpactSample): Series {
  const labels = Object.entries(sample.labels);
  const texts = [metric.name, metric.help, ...labels.flat()];
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const buckets = "buckets" in sample ? sample.buckets.length : 0;
  return { metric, sample, bytes: SERIES_BYTES + 2 * 2 * characters + BUCKET_BYTES * buckets };
}

function keyOf({ metric, sample }: Series): string {
  const labels = Object.entries(sample.labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const bounds = "buckets" in sample ? sample.buckets.map(({ le }) => le) : [];
  return JSON.stringify([metric.type, metric.name, labels, bounds]);
}

function addSeries(previous: Series, series: Series): Series {
  if (series.metric.type === "gauge") return series;
  return { ...series, sample: addSamples(previous.sample, series.sample) };
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
