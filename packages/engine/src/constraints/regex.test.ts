import { describe, expect, test } from "vitest";
import { fulfils } from "../_evaluate.ts";

describe("matchesPattern()", () => {
  test.each([
    ["an+a", "hanna!", true],
    ["^an+a$", "hanna!", false],
    ["ANNA", "anna", false],
    ["", "anything", true],
    ["^.$", "😊", true],
    ["(?P<first>a)", "anna", true],
    ["(?=a)", "anna", false],
    ["(a)\\1", "aa", false],
    ["[", "[", false],
    [7, "7", false],
    ["a", undefined, false],
  ])("finds %j in %j: %j", (value, userId, expected) => {
    const constraint = { contextName: "userId", operator: "REGEX", value };
    expect(fulfils(constraint, { userId })).toBe(expected);
  });

  test("ignores letter case when asked to", () => {
    const constraint = { contextName: "userId", operator: "REGEX", value: "ANNA" };
    expect(fulfils({ ...constraint, caseInsensitive: true }, { userId: "anna" })).toBe(true);
  });

  test("answers at once on a pattern that would stall a backtracking engine", () => {
    const constraint = { contextName: "userId", operator: "REGEX", value: "^(a+)+$" };
    expect(fulfils(constraint, { userId: `${"a".repeat(50_000)}!` })).toBe(false);
  });
});
