import { estimatePatternSize } from "flags-engine";
import { RE2JS } from "re2js";

/**
 * The largest accepted pattern, in instructions. Only repetitions make one larger than its text. An SDK needs time for
 * each instruction and each character of the context field.
 */
const MAX_SIZE = 1000;

/** Describes the accepted patterns in error messages. */
export const PATTERN_RULE =
  "must be a short regular expression in RE2 syntax: do not repeat a part hundreds of times";

/** Compiles a regular expression in RE2 syntax, which matches in linear time; undefined if it is invalid or too large. */
export function compilePattern(text: string): RE2JS | undefined {
  // NOTE: before it is compiled, which takes 0.6 s for 110 repetitions such as `.{0,999}`.
  if (estimatePatternSize(text) > MAX_SIZE) return undefined;
  try {
    const pattern = RE2JS.compile(text);
    return pattern.programSize() <= 2 * MAX_SIZE ? pattern : undefined;
  } catch {
    return undefined;
  }
}
