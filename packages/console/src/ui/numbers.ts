const separated = new Intl.NumberFormat("en-GB");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** Writes a number with separators, for example "2,000". */
export function formatCount(count: number): string {
  return separated.format(count);
}

/** Abbreviates a large number, for example "12.3K". */
export function abbreviateCount(count: number): string {
  return compact.format(count);
}

/** Writes a number with its unit, for example "1 flag" or "2,000 flags". */
export function describeCount(count: number, unit: string, plural: string = `${unit}s`): string {
  return `${formatCount(count)} ${count === 1 ? unit : plural}`;
}

/** Writes how many of a list are shown, for example "12 of 2,000 tokens"; only the total if all are. */
export function describeShown(shown: number, total: number, unit: string): string {
  const all = describeCount(total, unit);
  return shown === total ? all : `${formatCount(shown)} of ${all}`;
}

/** Writes a percentage, for example "12.5%". */
export function formatPercent(percentage: number): string {
  return `${Number(percentage.toFixed(2))}%`;
}

/** Writes a part of a whole as a percentage. */
export function formatShare(part: number, whole: number): string {
  return formatPercent((part / whole) * 100);
}
