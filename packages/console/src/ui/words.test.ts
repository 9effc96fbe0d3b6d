import { expect, test } from "vitest";
import { matchesWords, toWords } from "./words.ts";

test("every word has to occur in one of the texts, in any case", () => {
  const words = toWords("  New CHECKOUT ");
  expect(words).toEqual(["new", "checkout"]);
  expect(matchesWords(words, "checkout-page", "The new one")).toBe(true);
  expect(matchesWords(words, "checkout-page", null, undefined)).toBe(false);
  expect(matchesWords(toWords(" "), "anything")).toBe(true);
});
