import { describe, expect, test } from "vitest";
import { NOW_MS, satisfies } from "../_evaluate.ts";

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
