/** Describes a number of things, such as `1 flag` or `2 flags`. */
export function describeCount(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
