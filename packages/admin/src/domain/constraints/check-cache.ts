import { estimatePatternSize, type OperatorName } from "flags-engine";
import { exceedsLimit } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { TimeSlice } from "../../scheduling/time-slice.ts";
import { toStoredValue } from "../sdk-compatibility.ts";
import { compilePattern } from "../compile-pattern.ts";

/** Checks the constraints of one request. Expensive checks run once for equal constraints. */
export class CheckCache {
  readonly #patterns = new Map<string, boolean>();
  /** Legal values in their stored form, by operator. */
  readonly #storedForms = new Map<ReadonlySet<string>, Map<OperatorName, ReadonlySet<string>>>();

  /** Whether a string is a regular expression in RE2 syntax that is not too large. */
  isPattern(text: string): boolean {
    const known = this.#patterns.get(text);
    if (known !== undefined) return known;
    const result = compilePattern(text) !== undefined;
    this.#patterns.set(text, result);
    return result;
  }

  /** Returns the legal values of a context field in the form in which an operator stores them. */
  inStoredForm(legalValues: ReadonlySet<string>, operator: OperatorName): ReadonlySet<string> {
    const forms = this.#storedForms.get(legalValues) ?? new Map<OperatorName, Set<string>>();
    this.#storedForms.set(legalValues, forms);
    const known = forms.get(operator);
    if (known !== undefined) return known;
    const form = new Set(Array.from(legalValues, (value) => toStoredValue(operator, value)));
    forms.set(operator, form);
    return form;
  }

  /**
   * Checks the patterns of a file in advance, while other requests run in between.
   *
   * @throws {ApiError} if compiling all of them would take too long
   */
  async checkPatterns(texts: Iterable<string>): Promise<void> {
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
    size += estimatePatternSize(pattern);
    if (size > limit) {
      throw exceedsLimit(
        `characters in the regular expressions of ${where}, where a repeated part counts each time`,
        limit,
      );
    }
  }
}
