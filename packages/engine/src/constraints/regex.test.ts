import { describe, expect, test } from "vitest";
import { satisfies } from "../_evaluate.ts";

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
    expect(satisfies(constraint, { userId })).toBe(expected);
  });

  test("ignores case if caseInsensitive is set", () => {
    const constraint = { contextName: "userId", operator: "REGEX", value: "ANNA" };
    expect(satisfies({ ...constraint, caseInsensitive: true }, { userId: "anna" })).toBe(true);
  });

  test("matches a pattern that would block a backtracking engine in linear time", () => {
    const constraint = { contextName: "userId", operator: "REGEX", value: "^(a+)+$" };
    expect(satisfies(constraint, { userId: `${"a".repeat(50_000)}!` })).toBe(false);
  });

  test("does not match a string that is long for a large pattern", () => {
    const constraint = { contextName: "userId", operator: "REGEX", value: "a.{900}c" };
    expect(satisfies(constraint, { userId: `a${"b".repeat(400)}a${"b".repeat(900)}c` })).toBe(
      false,
    );
    expect(satisfies(constraint, { userId: `a${"b".repeat(900)}c` })).toBe(false);
    expect(satisfies({ ...constraint, value: "a.{90}c" }, { userId: `a${"b".repeat(90)}c` })).toBe(
      true,
    );
  });
});
