import { describe, expect, test } from "vitest";
import { satisfies } from "../_evaluate.ts";

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
