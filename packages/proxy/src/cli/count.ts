/** Describes a number of things, such as `1 flag` or `2 flags`. */
export function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}
