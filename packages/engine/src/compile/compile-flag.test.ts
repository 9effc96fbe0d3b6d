import { describe, expect, test } from "vitest";
import { evaluateFlag, snapshotOf } from "../../test/_evaluate.ts";

const inPlan = (...values: string[]): object => ({ contextName: "plan", operator: "IN", values });

describe("compileFlag()", () => {
  test.each([
    ["that is disabled", { enabled: false, strategies: [{ name: "default" }] }, false, "DISABLED"],
    ["without strategies", { strategies: [] }, true, "STATIC"],
    ["with malformed strategies", { strategies: undefined }, false, "DEFAULT"],
    ["with a malformed strategy", { strategies: [null] }, false, "DEFAULT"],
    ["with the strategy default", { strategies: [{ name: "default" }] }, true, "STATIC"],
    ["with an unknown strategy", { strategies: [{ name: "magic" }] }, false, "DEFAULT"],
  ])("compiles a flag %s to a constant", (_, parts, enabled, reason) => {
    expect(evaluateFlag(parts)).toEqual({ enabled, reason, variant: undefined });
    const flag = { name: "flag", enabled: true, ...parts };
    const [compiled] = snapshotOf({ features: [flag] }).flags;
    expect(compiled?.constantOutcome).toBeDefined();
  });

  test("a flag is on as soon as one strategy matches", () => {
    const strategies = [
      { name: "default", constraints: [inPlan("team")] },
      { name: "userWithId", parameters: { userIds: "7" } },
    ];
    expect(evaluateFlag({ strategies }, { plan: "team" }).reason).toBe("TARGETING_MATCH");
    expect(evaluateFlag({ strategies }, { userId: "7" }).enabled).toBe(true);
    expect(evaluateFlag({ strategies }, { userId: "8" })).toEqual({
      enabled: false,
      reason: "DEFAULT",
      variant: undefined,
    });
  });

  test("a flag does not depend on strategies after one that always matches", () => {
    const { flags, contextDependencies } = snapshotOf({
      features: [
        {
          name: "flag",
          enabled: true,
          strategies: [{ name: "default" }, { name: "default", constraints: [inPlan("pro")] }],
        },
      ],
    });
    expect(flags[0]?.constantOutcome).toBeDefined();
    expect(contextDependencies.fields).toEqual([]);
  });

  test("copies the attributes of the flag", () => {
    const flag = { type: "experiment", project: "web", stale: true, impressionData: true };
    const [compiled] = snapshotOf({
      features: [{ name: "flag", enabled: true, strategies: [], ...flag }],
    }).flags;
    expect(compiled).toMatchObject({ name: "flag", ...flag });
  });
});
