import { exceedsLimit } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { TimeSlice } from "../../time-slice.ts";
import { estimateSize, isPattern } from "./pattern.ts";

/** Checks the patterns of one request. Equal ones are compiled once. */
export class PatternChecks {
  readonly #results = new Map<string, boolean>();

  isPattern(text: string): boolean {
    const known = this.#results.get(text);
    if (known !== undefined) return known;
    const result = isPattern(text);
    this.#results.set(text, result);
    return result;
  }

  /**
   * Checks the patterns of a file in advance, while other requests run in between.
   *
   * @throws {ApiError} if compiling all of them would take too long
   */
  async checkFile(texts: Iterable<string>): Promise<void> {
    const distinct = new Set(texts);
    checkTotalSize(distinct, "a file", LIMITS.patternSizePerFile);
    const slice = new TimeSlice();
    for (const text of distinct) {
      this.isPattern(text);
      if (slice.isOver) await slice.startNext();
    }
  }
}

/** @throws {ApiError} if different patterns are too large together */
export function checkTotalSize(patterns: ReadonlySet<string>, where: string, limit: number): void {
  let size = 0;
  for (const pattern of patterns) {
    size += estimateSize(pattern);
    if (size > limit) {
      throw exceedsLimit(
        `characters in the regular expressions of ${where}, each counted as often as it is repeated`,
        limit,
      );
    }
  }
}
