import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../../../scripts/any-character.ts";
import { readCount, readText } from "./lenient-values.ts";

test.each([
  [undefined, 0],
  [null, 0],
  [0, 0],
  [3, 3],
  [3.9, 3],
  ["12", 12],
  [1e300, 1e15],
])("readCount() for %j is %i", (sent, expected) => {
  expect(readCount(sent)).toBe(expected);
});

test.each([
  [undefined, ""],
  [null, ""],
  ["a", "a"],
  [5, "5"],
  [true, "true"],
  ["a\0b", "a\uFFFDb"],
  ["\ud800", "\uFFFD"],
  ["😀", "😀"],
])("readText() for %j is %j", (sent, expected) => {
  expect(readText(sent)).toBe(expected);
});

test("readText() shortens text, and removes what a database cannot store", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 500 }), (sent) => {
      const text = readText(sent);
      expect(text.length).toBeLessThanOrEqual(255);
      expect(text).toBe(Buffer.from(text, "utf8").toString("utf8"));
      expect(text).not.toContain("\0");
    }),
  );
});
