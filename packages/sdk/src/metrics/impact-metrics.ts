import { chunkTexts } from "./bulk-batches.ts";
import type { FairBudget } from "./fair-budget.ts";

/** What the application measured, as the impact metrics of the official SDKs. */
export interface ImpactMetric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly ImpactSample[];
}

/** A value, or of a histogram the cumulative counts by upper bound. */
export type ImpactSample = {
  readonly labels: Readonly<Record<string, string>>;
} & (NumericValue | HistogramValue);

interface NumericValue {
  readonly value: number;
}

interface HistogramValue {
  readonly count: number;
  readonly sum: number;
  readonly buckets: readonly { readonly le: number | "+Inf"; readonly count: number }[];
}

interface Series {
  readonly metric: Omit<ImpactMetric, "samples">;
  readonly sample: ImpactSample;
  readonly bytes: number;
}

/** Impact metrics of one quota that were taken for sending, and fit into one request. */
export interface TakenImpactMetrics {
  readonly quotaId: string;
  readonly series: readonly (readonly [key: string, series: Series])[];
  /** Elements of the list `impactMetrics`, each as JSON. */
  readonly texts: readonly string[];
}

const SERIES_BYTES = 400;
const BUCKET_BYTES = 64;

/**
 * Impact metrics that are not delivered yet, summed up by metric and labels: SDKs report increments of
 * counters and histograms, and the latest value of gauges. So an outage of the upstream costs no more
 * memory than the number of different labels.
 */
export class ImpactMetricsBuffer {
  readonly #memory: FairBudget;
  readonly #seriesPerQuota: number;
  readonly #quotas = new Map<string, Map<string, Series>>();

  constructor(memory: FairBudget, seriesPerQuota: number) {
    this.#memory = memory;
    this.#seriesPerQuota = seriesPerQuota;
  }

  /** Returns how many samples were dropped because their quota has too many already. */
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

  /** Takes everything for sending; its memory stays claimed until it is released or put back. */
  take(): readonly TakenImpactMetrics[] {
    const quotas = [...this.#quotas];
    this.#quotas.clear();
    return quotas.flatMap(([quotaId, series]) => toTaken(quotaId, [...series]));
  }

  /** Returns what could not be delivered. */
  putBack(taken: TakenImpactMetrics): void {
    const { quotaId, series } = taken;
    this.release(taken);
    for (const [key, older] of series) {
      const newer = this.#quotas.get(quotaId)?.get(key);
      if (newer?.metric.type !== "gauge") this.#merge(quotaId, key, older);
    }
  }

  /** Forgets what was delivered. */
  release({ quotaId, series }: TakenImpactMetrics): void {
    const memory = this.#memory.shareOf(quotaId);
    for (const [, { bytes }] of series) memory.release(bytes);
  }

  #fits(quotaId: string, series: Series): boolean {
    const known = this.#quotas.get(quotaId);
    if (known?.has(keyOf(series)) === true) return true;
    return (
      (known?.size ?? 0) < this.#seriesPerQuota && this.#memory.shareOf(quotaId).fits(series.bytes)
    );
  }

  #merge(quotaId: string, key: string, series: Series): void {
    const known = this.#quotas.get(quotaId) ?? new Map<string, Series>();
    this.#quotas.set(quotaId, known);
    const before = known.get(key);
    const merged = before === undefined ? series : addSeries(before, series);
    const memory = this.#memory.shareOf(quotaId);
    // NOTE: the size may change, since the help text does not tell series apart.
    if (before !== undefined) memory.release(before.bytes);
    memory.claim(merged.bytes);
    known.set(key, merged);
  }
}

function toTaken(
  quotaId: string,
  series: readonly (readonly [string, Series])[],
): readonly TakenImpactMetrics[] {
  const all = series.map(([, { metric, sample }]) =>
    JSON.stringify({ ...metric, samples: [sample] }),
  );
  let first = 0;
  return chunkTexts(all).map((texts) => {
    const part = series.slice(first, first + texts.length);
    first += texts.length;
    return { quotaId, series: part, texts };
  });
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

function addSeries(before: Series, series: Series): Series {
  if (series.metric.type === "gauge") return series;
  return { ...series, sample: addSamples(before.sample, series.sample) };
}

/** Adds samples of one series; their buckets have the same bounds. */
function addSamples(before: ImpactSample, sample: ImpactSample): ImpactSample {
  if ("value" in before && "value" in sample) {
    return { ...sample, value: add(before.value, sample.value) };
  }
  if (!("buckets" in before) || !("buckets" in sample)) return sample;
  return {
    ...sample,
    count: add(before.count, sample.count),
    sum: add(before.sum, sample.sum),
    buckets: sample.buckets.map(({ le, count }, index) => ({
      le,
      count: add(count, before.buckets[index]?.count ?? 0),
    })),
  };
}

// JSON has no infinity, and an upstream may refuse a whole report for it.
const LARGEST = 1e300;

function add(a: number, b: number): number {
  return Math.min(Math.max(a + b, -LARGEST), LARGEST);
}
