import type { ImpactMetric, ImpactSample } from "../flag-source.ts";

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
export function toMetric({ metric, sample }: ImpactSeries): ImpactMetric {
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
