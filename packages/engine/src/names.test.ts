import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../../scripts/any-character.ts";
import { isName, isReportedName, toReportedName } from "./names.ts";

test("isName() accepts text that needs no encoding in a path, except . and ..", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ minLength: 1, maxLength: 4, unit: anyCharacter }),
        fc.constantFrom(".", "..", "...", "__proto__", "constructor"),
      ),
      (text) => {
        const isPlain = encodeOrEmpty(text) === text && text !== "." && text !== "..";
        expect(isName(text)).toBe(isPlain);
      },
    ),
    { numRuns: 2000 },
  );
});

test("isName() accepts 1 to 100 characters", () => {
  expect(isName("")).toBe(false);
  expect(isName("x".repeat(100))).toBe(true);
  expect(isName("x".repeat(101))).toBe(false);
});

test.each([
  ["a", true],
  ["__proto__", true],
  [" ", true],
  ["a/b%", true],
  ["é\n", true],
  ["\ud800", true],
  ["x".repeat(255), true],
  ["", false],
  ["x".repeat(256), false],
  ["a\0", false],
])("isReportedName(%j) is %s", (name, expected) => {
  expect(isReportedName(name)).toBe(expected);
});

test.each([
  ["a/b", "a/b"],
  ["a\0b", "a\uFFFDb"],
  ["\ud800", "\uFFFD"],
  ["😀", "😀"],
  ["x".repeat(300), "x".repeat(255)],
  [`${"x".repeat(254)}😀`, `${"x".repeat(254)}\uFFFD`],
])("toReportedName(%j) is %j", (text, expected) => {
  expect(toReportedName(text)).toBe(expected);
});

test("usage can be reported for every name that a flag or variant can have", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "Z", "0", "_", ".", "!", "~", "'", "(", "/", " ", "é", "%"),
  });
  fc.assert(
    fc.property(text, (name) => {
      fc.pre(isName(name));
      expect(isReportedName(name)).toBe(true);
      expect(toReportedName(name)).toBe(name);
    }),
  );
});

function encodeOrEmpty(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return "";
  }
}
