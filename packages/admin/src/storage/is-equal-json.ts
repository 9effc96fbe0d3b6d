import { isDeepStrictEqual } from "node:util";

/** A value as it will be read back: dates are text, and what is undefined is absent. */
export function toJson(value: unknown): unknown {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as unknown);
}

/** Whether two values are one and the same once they are stored. */
export function isEqualJson(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(toJson(one), toJson(other));
}
