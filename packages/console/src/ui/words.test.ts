import { expect, test } from "vitest";
import { joinWithAnd, joinWithOr, matchesWords, toWords } from "./words.ts";

test("every word has to occur in one of the strings, in any case", () => {
  const words = toWords("  New CHECKOUT ");
  expect(words).toEqual(["new", "checkout"]);
  expect(matchesWords(words, "checkout-page", "The new one")).toBe(true);
  expect(matchesWords(words, "checkout-page", null, undefined)).toBe(false);
  expect(matchesWords(toWords(" "), "anything")).toBe(true);
});

test.each([
  [["a"], "a", "a"],
  [["a", "b"], "a and b", "a or b"],
  [["a", "b", "c"], "a, b and c", "a, b or c"],
])("joins %j into a list as in a sentence", (words, withAnd, withOr) => {
  expect(joinWithAnd(words)).toBe(withAnd);
  expect(joinWithOr(words)).toBe(withOr);
});
