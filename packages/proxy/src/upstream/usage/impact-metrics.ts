import type { ImpactMetric, ImpactSample } from "./application-usage.ts";
import type { ItemKind } from "./item-buffer.ts";

/** Combinations of metric and labels per quota. */
const MAX_SERIES = 1000;
const SERIES_BYTES = 400;
const BUCKET_BYTES = 64;

/**
 * Impact metrics with one sample each. SDKs report increments of counters and histograms, and the latest value of gauges, so
 * during an outage the memory grows only with the number of different labels.
 */
export const IMPACT_METRICS: ItemKind<ImpactMetric> = {
  keyOf: (metric) => {
    const sample = sampleOf(metric);
    const labels = Object.entries(sample.labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const bounds = "buckets" in sample ? sample.buckets.map(({ le }) => le) : [];
    return JSON.stringify([metric.type, metric.name, labels, bounds]);
  },
  isReplacing: ({ type }) => type === "gauge",
  sum: (previous, metric) => ({
    ...metric,
    samples: [addSamples(sampleOf(previous), sampleOf(metric))],
  }),
  bytesOf: (metric) => {
    const sample = sampleOf(metric);
    const texts = [metric.name, metric.help, ...Object.entries(sample.labels).flat()];
    const characters = texts.reduce((sum, text) => sum + text.length, 0);
    const buckets = "buckets" in sample ? sample.buckets.length : 0;
    return SERIES_BYTES + 2 * 2 * characters + BUCKET_BYTES * buckets;
  },
  limit: MAX_SERIES,
};

/** Divides a metric into metrics with one sample each. */
export function toSingleSamples({ samples, ...metric }: ImpactMetric): readonly ImpactMetric[] {
  return samples.map((sample) => ({ ...metric, samples: [sample] }));
}

/** Joins metrics that follow each other and differ only in their samples. */
export function joinSamples(metrics: readonly ImpactMetric[]): readonly ImpactMetric[] {
  const joined: { metric: ImpactMetric; samples: ImpactSample[] }[] = [];
  for (const metric of metrics) {
    const { metric: last, samples } = joined.at(-1) ?? {};
    const isSame = (["name", "type", "help"] as const).every((key) => last?.[key] === metric[key]);
    if (isSame) samples?.push(...metric.samples);
    else joined.push({ metric, samples: [...metric.samples] });
  }
  return joined.map(({ metric, samples }) => ({ ...metric, samples }));
}

function sampleOf({ samples: [sample] }: ImpactMetric): ImpactSample {
  return sample ?? { labels: {}, value: 0 };
}

/** Adds samples whose buckets have equal bounds. */
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
