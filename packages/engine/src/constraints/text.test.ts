import { describe, expect, test } from "vitest";
import { satisfies } from "../_evaluate.ts";

describe("text operators", () => {
  test.each([
    ["STR_STARTS_WITH", ["ann"], "anna", true],
    ["STR_STARTS_WITH", ["x", "an"], "anna", true],
    ["STR_STARTS_WITH", ["na"], "anna", false],
    ["STR_ENDS_WITH", ["na"], "anna", true],
    ["STR_ENDS_WITH", ["an"], "anna", false],
    ["STR_CONTAINS", ["nn"], "anna", true],
    ["STR_CONTAINS", ["NN"], "anna", false],
    ["STR_CONTAINS", [], "anna", false],
    ["STR_CONTAINS", [""], "anna", false],
    ["STR_CONTAINS", [" "], "anna", true],
    ["STR_CONTAINS", [" "], undefined, false],
    ["STR_CONTAINS", ["nn"], undefined, false],
  ])("%s %j on %j is %j", (operator, values, userId, expected) => {
    expect(satisfies({ contextName: "userId", operator, values }, { userId })).toBe(expected);
  });

  test("text operators ignore the case of both sides if caseInsensitive is set", () => {
    const constraint = {
      contextName: "userId",
      operator: "STR_STARTS_WITH",
      values: ["ANN"],
      caseInsensitive: true,
    };
    expect(satisfies(constraint, { userId: "Anna" })).toBe(true);
    expect(satisfies({ ...constraint, caseInsensitive: false }, { userId: "Anna" })).toBe(false);
  });
});
