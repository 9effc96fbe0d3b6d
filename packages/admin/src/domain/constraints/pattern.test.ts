import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { fuzzRuns } from "../../../../../scripts/test-size.ts";
import { estimateSize, isPattern } from "./pattern.ts";

describe("isPattern()", () => {
  test.each([
    "^[a-z0-9.]{1,64}@example\\.com$",
    "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
    "(?i)ab\\(c|d{2,}|[{}()]{3}",
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
    `[${"\\".repeat(999)}`,
    "[".repeat(1000),
  ])("rejects %.40s", (text) => {
    expect(isPattern(text)).toBe(false);
  });
});

/** Returns undefined for a pattern of which parts are repeated more than 1000 times. */
function readSize(text: string): number | undefined {
  try {
    return RE2JS.compile(text).programSize();
  } catch {
    return undefined;
  }
}

test("estimateSize() is close to the number of instructions, so that compiling a pattern takes little time", () => {
  const atom = fc.constantFrom("a", ".", "\\d", "\\{", "[a-z]", "[)(]", "[\\]]", "é", "😊");
  const repetition = fc.constantFrom("", "*", "+", "?", "{3}", "{2,}", "{0,7}");
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc
      .array(
        fc.tuple(
          fc.oneof(
            { depthSize: "small" },
            atom,
            tie("pattern").map((inner) => `(${inner})`),
          ),
          repetition,
        ),
        { minLength: 1, maxLength: 4 },
      )
      .map((parts) => parts.flat().join("")),
  }));
  fc.assert(
    fc.property(pattern, (text) => {
      const size = readSize(text);
      fc.pre(size !== undefined);
      expect(size).toBeLessThan(3 * estimateSize(text) + 10);
    }),
    { numRuns: fuzzRuns(300, 10_000) },
  );
});
