import { expect, test } from "vitest";
import { moveEntries } from "./move-entries.ts";

const LIST = ["a", "b", "c", "d"];

test.each([
  [["a"], "c", "after", "bcad"],
  [["d"], "a", "before", "dabc"],
  [["b", "d"], "a", "before", "bdac"],
  [["a"], "a", "after", "abcd"],
] as const)("moveEntries() moves %j next to %s", (moved, entry, position, result) => {
  expect(moveEntries(LIST, new Set<string>(moved), { entry, position }).join("")).toBe(result);
});
