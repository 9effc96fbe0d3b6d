import { expect, test } from "vitest";
import { describeCount, describeShown, formatShare } from "./numbers.ts";

test("counts have separators and a unit", () => {
  expect(describeCount(1, "flag")).toBe("1 flag");
  expect(describeCount(2000, "flag")).toBe("2,000 flags");
  expect(describeCount(2, "more strategy", "more strategies")).toBe("2 more strategies");
  expect(describeShown(12, 2000, "token")).toBe("12 of 2,000 tokens");
  expect(describeShown(12, 12, "token")).toBe("12 tokens");
});

test("a share is a percentage with at most two decimals", () => {
  expect(formatShare(1, 8)).toBe("12.5%");
  expect(formatShare(1, 3)).toBe("33.33%");
  expect(formatShare(0, 3)).toBe("0%");
});
