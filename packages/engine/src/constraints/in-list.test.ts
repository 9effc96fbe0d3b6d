import { describe, expect, test } from "vitest";
import { satisfies } from "../_evaluate.ts";

const constraint = (operator: string, values: unknown): Record<string, unknown> => ({
  contextName: "plan",
  operator,
  values,
});

describe("inValues()", () => {
  test.each([
    [["pro"], "pro", true],
    [["free", "pro"], "pro", true],
    [["free", "team"], "pro", false],
    [["PRO"], "pro", false],
    [[" pro "], "pro", true],
    [["pro"], " pro", false],
    [[], "pro", false],
    [[""], "", false],
    [["  "], "", true],
    [["5"], 5, true],
    [["true", "x"], true, true],
  ])("the operator with values %j and the field %j is %j", (values, plan, expected) => {
    expect(satisfies(constraint("IN", values), { properties: { plan } })).toBe(expected);
  });

  test("is false if the field is absent or null", () => {
    expect(satisfies(constraint("IN", ["pro", "undefined"]))).toBe(false);
    expect(satisfies(constraint("IN", ["null"]), { plan: null })).toBe(false);
  });
});

describe("notInValues()", () => {
  test.each([
    [["pro"], "pro", false],
    [["free", "pro"], "pro", false],
    [["free"], "pro", true],
    [[], "pro", true],
    [["pro", "free"], undefined, true],
  ])("the operator with values %j and the field %j is %j", (values, plan, expected) => {
    expect(satisfies(constraint("NOT_IN", values), { plan })).toBe(expected);
  });
});
