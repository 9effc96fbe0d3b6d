import { createHistogram } from "node:perf_hooks";

/** The value at a share (0 to 1) of sorted values. */
export function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export function median(numbers) {
  return percentile(
    numbers.toSorted((a, b) => a - b),
    0.5,
  );
}

/** The median of every field of objects that have the same fields. */
export function medians(samples) {
  const keys = Object.keys(samples[0]);
  return Object.fromEntries(keys.map((key) => [key, median(samples.map((sample) => sample[key]))]));
}

/**
 * The median of the ratios of a field in two lists of samples, taken pairwise: two consecutive
 * measurements ran on an equally busy machine.
 */
export function medianRatio(samples, otherSamples, field) {
  return median(samples.map((sample, round) => sample[field] / otherSamples[round][field]));
}

/** Collects durations in milliseconds in constant memory; percentiles are accurate to three digits. */
export function createLatencyHistogram() {
  const histogram = createHistogram({ lowest: 1, highest: 60e9, figures: 3 });
  return {
    add: (milliseconds) => histogram.record(Math.max(1, Math.round(milliseconds * 1e6))),
    count: () => histogram.count,
    percentileMs: (percent) => histogram.percentile(percent) / 1e6,
  };
}
