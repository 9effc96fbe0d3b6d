import { describe, expect, test } from "vitest";
import { outcomeOf, snapshotOf } from "../../test/_evaluate.ts";

describe("createSnapshot()", () => {
  const snapshot = snapshotOf(
    {
      features: [
        { name: "__proto__", enabled: true, strategies: [] },
        { name: "constructor", enabled: false, strategies: [] },
        {
          name: "plan",
          enabled: true,
          strategies: [
            {
              name: "default",
              constraints: [{ contextName: "plan", operator: "IN", values: ["pro"] }],
            },
          ],
        },
      ],
    },
    { revision: "r1" },
  );

  test("finds flags by name, including names of Object.prototype", () => {
    expect(outcomeOf(snapshot, "__proto__").enabled).toBe(true);
    expect(outcomeOf(snapshot, "constructor").enabled).toBe(false);
    expect(snapshot.indexOf("toString")).toBe(-1);
    expect(snapshot.revision).toBe("r1");
  });

  test("returns off for an index without a flag", () => {
    expect(snapshot.evaluate(-1, {})).toBe(0);
    expect(snapshot.evaluate(99, {})).toBe(0);
  });

  test.each([
    ["a rule that reads the clock", { constraints: [{ operator: "DATE_AFTER", value: "2030" }] }],
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
  ])("a snapshot is not repeatable with %s", (_, strategy) => {
    const flag = { name: "flag", enabled: true, strategies: [{ name: "default", ...strategy }] };
    const strategies = [{ name: "weekday", isEnabled: () => true }];
    expect(snapshotOf({ features: [flag] }, { strategies }).evaluateAll({}).isRepeatable).toBe(
      false,
    );
  });

  test("a snapshot is repeatable if the outcomes depend only on the context", () => {
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

  test("returns a new vector to each caller", () => {
    const first = snapshot.evaluateAll({ plan: "pro" }).outcomes;
    snapshot.evaluateAll({ plan: "free" });
    for (const index of first.keys()) Reflect.set(first, index, 0);
    expect(outcomeOf(snapshot, "plan", { plan: "pro" }).enabled).toBe(true);
  });
});
