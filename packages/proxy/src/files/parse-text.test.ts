import { expect, test } from "vitest";
import { describePosition } from "./parse-text.ts";

test.each([
  [0, "line 1, column 1"],
  [2, "line 1, column 3"],
  [3, "line 2, column 1"],
  [4, "line 3, column 1"],
  [6, "line 3, column 3"],
])("describePosition() counts lines and columns from 1: %i", (offset, position) => {
  expect(describePosition("ab\n\ncd", offset)).toBe(position);
});

test("describePosition() describes the beginning of an empty file", () => {
  expect(describePosition("", 0)).toBe("line 1, column 1");
});
