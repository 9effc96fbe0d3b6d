/** The value below which so large a share of sorted values lies. */
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
