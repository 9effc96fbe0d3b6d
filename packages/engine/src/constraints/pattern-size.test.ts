import fc from "fast-check";
import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { fuzzRuns, sized } from "../../../../scripts/test-size.ts";
import { estimatePatternSize } from "./pattern-size.ts";

// In quadratic time, each of them would take longer than a test may.
test.each(["\\p{", "[\\p{", "\\x{1", "[a-", "[[:a", "\\Q", "(?a"])(
  "estimatePatternSize() takes time in proportion to the length of a pattern that repeats %s",
  (text) => {
    expect(estimatePatternSize(text.repeat(sized(400_000, 1_000_000)))).toBeGreaterThan(0);
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

/** Fails if a pattern has many more instructions than estimated, so that compiling it would be slow. */
function checkEstimate(text: string): void {
  const size = readSize(text);
  fc.pre(size !== undefined);
  expect(size).toBeLessThan(4 * estimatePatternSize(text) + 10);
}

const ATOMS = ["a", ".", "\\d", "\\{", "[a-z]", "[)(]", "[\\]]", "é", "😊", "\\x{100}", "\\pL"];

test("estimatePatternSize() is close to the number of instructions of patterns that people write", () => {
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

test("estimatePatternSize() is not deceived by any other sequence of tokens", () => {
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
