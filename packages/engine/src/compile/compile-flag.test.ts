import { describe, expect, test } from "vitest";
import { answerOf, evaluateFlag, snapshotOf } from "../_evaluate.ts";

const inPlan = (...values: string[]): object => ({ contextName: "plan", operator: "IN", values });

describe("compileFeature()", () => {
  test.each([
    ["switched off", { enabled: false, strategies: [{ name: "default" }] }, false, "DISABLED"],
    ["without strategies", { strategies: [] }, true, "STATIC"],
    ["with malformed strategies", { strategies: undefined }, false, "DEFAULT"],
    ["with a strategy that is none", { strategies: [null] }, false, "DEFAULT"],
    ["for everybody", { strategies: [{ name: "default" }] }, true, "STATIC"],
    ["with an unknown strategy", { strategies: [{ name: "magic" }] }, false, "DEFAULT"],
  ])("folds a flag %s into a constant", (_, parts, enabled, reason) => {
    expect(evaluateFlag(parts)).toEqual({ enabled, reason, variant: undefined });
    const flag = { name: "flag", enabled: true, ...parts };
    const [compiled] = snapshotOf({ features: [flag] }).flags;
    expect(compiled?.constantOutcome).toBeDefined();
  });

  test("is on as soon as one strategy matches", () => {
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

  test("does not depend on strategies behind one that always matches", () => {
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

  test("carries what an answer and its reader need", () => {
    const flag = { type: "experiment", project: "web", stale: true, impressionData: true };
    const [compiled] = snapshotOf({
      features: [{ name: "flag", enabled: true, strategies: [], ...flag }],
    }).flags;
    expect(compiled).toMatchObject({ name: "flag", ...flag });
  });
});

describe("CompiledSnapshot", () => {
  const snapshot = snapshotOf(
    {
      features: [
        { name: "__proto__", enabled: true, strategies: [] },
        { name: "constructor", enabled: false, strategies: [] },
        {
          name: "plan",
          enabled: true,
          strategies: [{ name: "default", constraints: [inPlan("pro")] }],
        },
      ],
    },
    { revision: "r1" },
  );

  test("finds flags by name, names of Object.prototype included", () => {
    expect(answerOf(snapshot, "__proto__").enabled).toBe(true);
    expect(answerOf(snapshot, "constructor").enabled).toBe(false);
    expect(snapshot.indexOf("toString")).toBe(-1);
    expect(snapshot.revision).toBe("r1");
  });

  test("answers off for a position it does not have", () => {
    expect(snapshot.evaluate(-1, {})).toBe(0);
    expect(snapshot.evaluate(99, {})).toBe(0);
  });

  test.each([
    ["a rule that goes by the clock", { constraints: [{ operator: "DATE_AFTER", value: "2030" }] }],
    ["a rollout without an id", { name: "flexibleRollout", parameters: { rollout: "50" } }],
    ["a random rollout", { name: "gradualRolloutRandom", parameters: { percentage: "50" } }],
    [
      "variants without an id",
      {
        variants: [
          { name: "a", weight: 1 },
          { name: "b", weight: 1 },
        ],
      },
    ],
    ["a custom strategy", { name: "weekday" }],
  ])("does not call answers repeatable after %s", (_, strategy) => {
    const flag = { name: "flag", enabled: true, strategies: [{ name: "default", ...strategy }] };
    const strategies = [{ name: "weekday", isEnabled: () => true }];
    expect(snapshotOf({ features: [flag] }, { strategies }).evaluateAll({}).isRepeatable).toBe(
      false,
    );
  });

  test("calls answers repeatable that depend on the context alone", () => {
    const rules = [
      { name: "flexibleRollout", parameters: { rollout: "50" } },
      { name: "default", constraints: [{ operator: "DATE_AFTER", value: "2030" }] },
      {
        name: "default",
        variants: [
          { name: "a", weight: 1 },
          { name: "b", weight: 1 },
        ],
      },
    ];
    const features = rules.map((rule, index) => ({
      name: `flag-${index}`,
      enabled: true,
      strategies: [rule],
    }));
    const context = { userId: "7", currentTime: "2026-01-01" };
    expect(snapshotOf({ features }).evaluateAll(context).isRepeatable).toBe(true);
  });

  test("gives each caller answers of its own", () => {
    const first = snapshot.evaluateAll({ plan: "pro" }).outcomes;
    snapshot.evaluateAll({ plan: "free" });
    for (const index of first.keys()) Reflect.set(first, index, 0);
    expect(answerOf(snapshot, "plan", { plan: "pro" }).enabled).toBe(true);
  });
});
