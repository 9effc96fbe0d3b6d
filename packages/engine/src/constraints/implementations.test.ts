import { describe, expect, test } from "vitest";
import { NOW_MS, satisfies } from "../../test/_evaluate.ts";

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

describe("number operators", () => {
  test.each([
    ["NUM_EQ", "5", "5.0", true],
    ["NUM_EQ", "5", "5.1", false],
    ["NUM_GT", "5", "6", true],
    ["NUM_GT", "5", "5", false],
    ["NUM_GTE", "5", "5", true],
    ["NUM_GTE", "5", "4", false],
    ["NUM_LT", "5", "4", true],
    ["NUM_LT", "5", "5", false],
    ["NUM_LTE", "5", "5", true],
    ["NUM_LTE", "5", "6", false],
    ["NUM_EQ", "0x10", "16", true],
    ["NUM_EQ", "1e2", " 100 ", true],
    ["NUM_EQ", "", "0", true],
    ["NUM_EQ", null, "", true],
    ["NUM_EQ", 5, 5, true],
    ["NUM_LT", "Infinity", "1", true],
    ["NUM_EQ", "five", "five", false],
    ["NUM_EQ", undefined, "5", false],
    ["NUM_LT", "5", undefined, false],
  ])("%s %j on %j is %j", (operator, value, level, expected) => {
    expect(satisfies({ contextName: "level", operator, value }, { level })).toBe(expected);
  });
});

const noon = "2026-06-01T12:00:00Z";

describe("date operators", () => {
  test.each([
    ["DATE_AFTER", noon, "2026-06-01T12:00:01Z", true],
    ["DATE_AFTER", noon, noon, false],
    ["DATE_BEFORE", noon, "2026-06-01T11:59:59Z", true],
    ["DATE_BEFORE", noon, noon, false],
    ["DATE_BEFORE", noon, "2026-06-01T14:00:01+02:00", false],
    ["DATE_AFTER", "2022", noon, true],
    ["DATE_AFTER", null, noon, true],
    ["DATE_AFTER", undefined, noon, false],
    ["DATE_AFTER", "soon", noon, false],
    ["DATE_AFTER", "2022", "soon", false],
    ["DATE_AFTER", "2022", "1767225600000", false],
    ["DATE_AFTER", "2022", NOW_MS, true],
    ["DATE_AFTER", "2022", new Date(NOW_MS), true],
  ])("%s %j at %j is %j", (operator, value, currentTime, expected) => {
    const constraint = { contextName: "currentTime", operator, value };
    expect(satisfies(constraint, { currentTime })).toBe(expected);
  });

  test("date operators use the clock if the context has no time", () => {
    const after = { contextName: "currentTime", operator: "DATE_AFTER" };
    expect(satisfies({ ...after, value: "2025-12-31T23:59:59Z" })).toBe(true);
    expect(satisfies({ ...after, value: "2026-01-01T00:00:00Z" })).toBe(false);
  });

  test("date operators use the current time, whatever field they name", () => {
    const constraint = { contextName: "birthday", operator: "DATE_AFTER", value: noon };
    expect(satisfies(constraint, { birthday: "2030-01-01" })).toBe(false);
  });
});

describe("version operators", () => {
  test.each([
    ["SEMVER_EQ", "1.2.3", "1.2.3", true],
    ["SEMVER_EQ", "1.2.3", "1.2.3+build", true],
    ["SEMVER_EQ", "1.2.3", "1.2.4", false],
    ["SEMVER_GT", "1.2.3", "1.10.0", true],
    ["SEMVER_GT", "1.2.3", "1.2.3", false],
    ["SEMVER_GT", "1.2.3", "1.2.2", false],
    ["SEMVER_GTE", "1.2.3", "1.2.4", true],
    ["SEMVER_GTE", "1.2.3", "1.2.3", true],
    ["SEMVER_GTE", "1.2.3", "1.2.2", false],
    ["SEMVER_LT", "1.2.3", "1.2.3-beta.1", true],
    ["SEMVER_LT", "1.2.3", "1.2.3", false],
    ["SEMVER_LT", "1.2.3", "1.2.4", false],
    ["SEMVER_LTE", "1.2.3", "1.2.2", true],
    ["SEMVER_LTE", "1.2.3", "1.2.3", true],
    ["SEMVER_LTE", "1.2.3", "1.2.4", false],
    ["SEMVER_EQ", "v1.2.3", "1.2.3", true],
    ["SEMVER_EQ", "1.2.3", "v1.2.3", false],
    ["SEMVER_EQ", "1.2.3", " v1.2.3", true],
    ["SEMVER_EQ", "1.2.3", "1.2", false],
    ["SEMVER_EQ", "1.2", "1.2", false],
    ["SEMVER_EQ", 1.2, "1.2", false],
    ["SEMVER_GT", "1.2.3", undefined, false],
  ])("%s %j on %j is %j", (operator, value, version, expected) => {
    expect(satisfies({ contextName: "version", operator, value }, { version })).toBe(expected);
  });
});
