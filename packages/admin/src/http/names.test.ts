import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../../../scripts/any-character.ts";
import { isName } from "./names.ts";

test("isName() accepts text that needs no encoding in a path, except . and ..", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ minLength: 1, maxLength: 4, unit: anyCharacter }),
        fc.constantFrom(".", "..", "..."),
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

function encodeOrEmpty(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return "";
  }
}
