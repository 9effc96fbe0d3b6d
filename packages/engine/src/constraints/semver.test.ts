import { describe, expect, test } from "vitest";
import { satisfies } from "../_evaluate.ts";

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
