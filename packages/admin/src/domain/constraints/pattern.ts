import { estimatePatternSize } from "flags-engine";
import { RE2JS } from "re2js";

/**
 * The largest accepted pattern, in instructions. Only repetitions make one larger than its text. An SDK needs time for
 * each instruction and each character of the context field.
 */
const MAX_SIZE = 1000;

/** Whether a string is a regular expression in RE2 syntax that is not too large. */
export function isPattern(text: string): boolean {
  // NOTE: before it is compiled, which takes 0.6 s for 110 repetitions such as `.{0,999}`.
  if (estimatePatternSize(text) > MAX_SIZE) return false;
  try {
    return RE2JS.compile(text).programSize() <= 2 * MAX_SIZE;
  } catch {
    return false;
  }
}
