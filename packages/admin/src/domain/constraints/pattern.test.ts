import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { fuzzRuns, sized } from "../../../../../scripts/test-size.ts";
import { estimateSize, isPattern } from "./pattern.ts";

describe("isPattern()", () => {
  test.each([
    "^[a-z0-9.]{1,64}@example\\.com$",
    "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
    "(?i)ab\\(c|d{2,}|[{}()]{3}",
    "^\\p{Lu}[\\p{L}\\p{M}' -]*[\\x{4e00}-\\x{9fff}]{2}$",
    "[\u{1f600}-\u{1f64f}\\x{1f680}-\\x{1f6ff}]".repeat(5),
    "\\Q[(a{999}\\E|[^]\\x{80}-\\x{10ffff}]",
    Array.from({ length: 80 }, (_, index) => `customer-${index}`).join("|"),
  ])("accepts %.40s", (text) => {
    expect(isPattern(text)).toBe(true);
  });

  test.each([
    "(",
    "a(?=b)",
    "a.{1000}c",
    "((a{10}){10}){10}",
    ".{0,999}".repeat(100),
    `\\Q[\\E${".{0,999}".repeat(100)}]`,
    `(${"a".repeat(100)})(?i){900}`,
    `(${"a".repeat(100)})\\Q\\E{900}`,
    `(${"a".repeat(100)})*(?i){900}`,
    "((a{10}(?i){10}){10}b)",
    `(${".{0,999}".repeat(100)}){0}`,
    `[[:alpha:](]${"a".repeat(100)}){900}`,
    `(${"a".repeat(100)}[[:alpha:](]){900}`,
    `(${"a".repeat(100)}[](]){900}`,
    `[(-[:alpha:](${"a".repeat(100)}[)]){900}`,
    `(${"a".repeat(100)}[\\d-[:alpha:](]){900}`,
    `[${"\\".repeat(999)}`,
    "[".repeat(1000),
  ])("rejects %.40s", (text) => {
    expect(isPattern(text)).toBe(false);
  });

  test.each([
    `(?i)[${"B-\u{1e000}".repeat(200)}]`,
    `(?i)${"[B-\u{1e000}]".repeat(150)}`,
    `(?i)[${"\\x{41}-\\x{1e000}".repeat(50)}]`,
    `(?i)[${"\\\\-\u{1e000}".repeat(150)}]`,
    `(?i)[${"\\PL".repeat(300)}]`,
    `(?i)[${"B-\u{1e000}".repeat(200)}`,
    `(?i)[${"B-\u{1e000}".repeat(200)}\\`,
    `(?i)[${"B-\u{1e000}".repeat(200)}\\x{}]`,
    "\\P{L}".repeat(150),
  ])("rejects %.40s, whose classes take long to compile", (text) => {
    expect(isPattern(text)).toBe(false);
  });
});

// In quadratic time, each of them would take longer than a test may.
test.each(["\\p{", "[\\p{", "\\x{1", "[a-", "[[:a", "\\Q", "(?a"])(
  "estimateSize() takes time in proportion to the length of a pattern that repeats %s",
  (text) => {
    expect(estimateSize(text.repeat(sized(400_000, 1_000_000)))).toBeGreaterThan(0);
  },
);

/** Returns undefined for an invalid pattern, and for one of which parts are repeated more than 1000 times. */
function readSize(text: string): number | undefined {
  try {
    return RE2JS.compile(text).programSize();
  } catch {
    return undefined;
  }
}

/** Fails if a pattern has many more instructions than estimated, so that compiling it takes long. */
function checkEstimate(text: string): void {
  const size = readSize(text);
  fc.pre(size !== undefined);
  expect(size).toBeLessThan(4 * estimateSize(text) + 10);
}

const ATOMS = ["a", ".", "\\d", "\\{", "[a-z]", "[)(]", "[\\]]", "é", "😊", "\\x{100}", "\\pL"];

test("estimateSize() is close to the number of instructions of patterns that people write", () => {
  const repetition = fc.constantFrom("", "*", "+", "?", "{3}", "{2,}", "{0,7}");
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc
      .array(
        fc.tuple(
          fc.oneof(
            { depthSize: "small" },
            fc.constantFrom(...ATOMS),
            tie("pattern").map((inner) => `(${inner})`),
          ),
          repetition,
        ),
        { minLength: 1, maxLength: 4 },
      )
      .map((parts) => parts.flat().join("")),
  }));
  fc.assert(fc.property(pattern, checkEstimate), { numRuns: fuzzRuns(150, 10_000) });
});

test("estimateSize() is not deceived by any other sequence of tokens", () => {
  const token = fc.oneof(
    fc.constantFrom(...ATOMS),
    fc.constantFrom("(", "(?:", "(?P<n>", "(?i:", "(?i)", "(?s-m)", ")", "|", "^", "$", "\\b"),
    fc.constantFrom(
      "[",
      "[^",
      "]",
      "[:alpha:]",
      "[[:^digit:]]",
      "[]",
      "[:",
      ":]",
      "-",
      "[^]",
      "\\]",
    ),
    fc.constantFrom("\\Q", "\\E", "\\", "\\\\", "\\p{", "\\x{", "}", "{", "\\p{Greek}", "\\141"),
    fc.constantFrom("*", "+?", "?", "{3}", "{0}", "{0,40}", "{30,}", "{,9}", "{07}", "{20}?"),
  );
  const pattern = fc.array(token, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(""));
  // NOTE: most sequences are invalid patterns. A long part shows what a repetition applies to.
  const withLongParts = fc
    .tuple(pattern, pattern, pattern)
    .map(([before, inner, after]) => `${before}(${"xy".repeat(20)}${inner})${after}`);
  fc.assert(fc.property(fc.oneof(pattern, withLongParts), checkEstimate), {
    numRuns: fuzzRuns(500, 20_000),
  });
});
