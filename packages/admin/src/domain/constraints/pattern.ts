import { RE2JS } from "re2js";

/**
 * The largest accepted pattern, in instructions. Only repetitions make one larger than its text. An SDK needs time for
 * each instruction and each character of the context field.
 */
const MAX_SIZE = 1000;

/** Whether a string is a regular expression in RE2 syntax that is not too large. */
export function isPattern(text: string): boolean {
  // NOTE: before it is compiled, which takes 0.6 s for 110 repetitions such as `.{0,999}`.
  if (estimateSize(text) > MAX_SIZE) return false;
  try {
    return RE2JS.compile(text).programSize() <= 2 * MAX_SIZE;
  } catch {
    return false;
  }
}

// NOTE: no character matches two alternatives. Otherwise, a bracket and a few backslashes would take hours.
const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|\{(?<min>\d+)(?:,(?<max>\d*))?\}|./gsu;

/** Estimates the instructions of a pattern: one for each character or class, as often as it is repeated. */
export function estimateSize(text: string): number {
  const groupStarts: number[] = [];
  let size = 0;
  let lastSize = 0;
  for (const { 0: token, groups: { min, max } = {} } of text.matchAll(TOKEN)) {
    if (min !== undefined) {
      size += lastSize * (Math.max(Number(min), Number(max ?? 0)) - 1);
      lastSize = 0;
    } else if (token === "(") {
      groupStarts.push(size);
    } else if (token === ")") {
      size += 1;
      lastSize = size - (groupStarts.pop() ?? 0);
    } else {
      size += 1;
      lastSize = 1;
    }
  }
  return size;
}
