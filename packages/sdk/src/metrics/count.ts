/** Adds two counts, stopping at the largest integer that is exact. */
export function addCounts(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER);
}

/** A count as sent by somebody else: anything but a whole number of at least zero counts nothing. */
export function toCount(value: unknown): number {
  if (!Number.isInteger(value)) return 0;
  return Math.min(Math.max(Number(value), 0), Number.MAX_SAFE_INTEGER);
}
