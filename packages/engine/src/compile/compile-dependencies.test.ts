import { describe, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { outcomeOf, snapshotOf } from "../../test/_evaluate.ts";

const on = [{ name: "default" }];
const forPro = [
  { name: "default", constraints: [{ contextName: "plan", operator: "IN", values: ["pro"] }] },
];
const halves = [
  { name: "red", weight: 1 },
  { name: "blue", weight: 1 },
];

const snapshot = snapshotOf({
  features: [
    child("needs-pro", { feature: "pro" }),
    child("needs-no-pro", { feature: "pro", enabled: false }),
    child("needs-red", { feature: "coloured", variants: ["red"] }),
    child("needs-blue", { feature: "coloured", variants: ["blue"] }),
    child("needs-plain", { feature: "pro", variants: ["disabled"] }),
    child("needs-missing", { feature: "missing", enabled: false }),
    child("needs-child", { feature: "needs-pro" }),
    child("needs-itself", { feature: "needs-itself", enabled: false }),
    child("needs-off", { feature: "off", enabled: false, variants: ["red"] }),
    { ...child("disabled", { feature: "pro" }), enabled: false },
    { ...child("broken", {}), dependencies: "pro" },
    { ...child("no-entry", {}), dependencies: [null] },
    { ...child("no-parents", {}), dependencies: [] },
    { name: "pro", enabled: true, strategies: forPro },
    { name: "coloured", enabled: true, strategies: forPro, variants: halves },
    { name: "off", enabled: false, strategies: on },
  ],
});

function child(name: string, ...dependencies: object[]): object {
  return { name, enabled: true, strategies: on, dependencies };
}

const isOn = (name: string, context: Context): boolean =>
  outcomeOf(snapshot, name, context).enabled;

describe("compileDependencies()", () => {
  test("requires the parent to be on or off", () => {
    expect(isOn("needs-pro", { plan: "pro" })).toBe(true);
    expect(isOn("needs-pro", { plan: "free" })).toBe(false);
    expect(isOn("needs-no-pro", { plan: "pro" })).toBe(false);
    expect(isOn("needs-no-pro", { plan: "free" })).toBe(true);
    expect(isOn("needs-off", {})).toBe(true);
  });

  test("requires the variant of the parent for the same context", () => {
    for (let user = 0; user < 20; user++) {
      const context = { plan: "pro", userId: `${user}` };
      const { variant } = outcomeOf(snapshot, "coloured", context);
      expect(isOn("needs-red", context)).toBe(variant?.name === "red");
      expect(isOn("needs-blue", context)).toBe(variant?.name === "blue");
    }
    expect(isOn("needs-red", { plan: "free" })).toBe(false);
  });

  test("treats a parent without a variant as having the variant 'disabled'", () => {
    expect(isOn("needs-plain", { plan: "pro" })).toBe(true);
    expect(isOn("needs-plain", { plan: "free" })).toBe(false);
  });

  test.each(["needs-missing", "needs-child", "needs-itself", "broken", "no-entry", "disabled"])(
    "keeps %s off for every context",
    (name) => {
      expect(isOn(name, { plan: "pro" })).toBe(false);
      expect(snapshot.flags[snapshot.indexOf(name)]?.constantOutcome).toBe(0);
    },
  );

  test("does not affect a flag without parents", () => {
    expect(isOn("no-parents", {})).toBe(true);
  });

  test("uses the same random id as the parent", () => {
    const half = [
      {
        name: "flexibleRollout",
        parameters: { rollout: "50", stickiness: "random", groupId: "g" },
      },
    ];
    let draws = 0;
    const halfOn = snapshotOf(
      {
        features: [
          child("child", { feature: "parent" }),
          { name: "parent", enabled: true, strategies: half },
        ],
      },
      { random: () => (draws++ % 10) / 10 },
    );
    const parentOutcomes = new Set<number | undefined>();
    for (let round = 0; round < 20; round++) {
      const [childOutcome, parentOutcome] = halfOn.evaluateAll({}).outcomes;
      expect(childOutcome).toBe(parentOutcome);
      parentOutcomes.add(parentOutcome);
    }
    expect(parentOutcomes.size).toBe(2);
  });
});
