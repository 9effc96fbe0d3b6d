import { expect, test } from "vitest";
import { describeReach } from "./describe-reach.ts";

const EVERYONE = { strategyCount: 1, percentage: 100, conditionalCount: 0, segmentCount: 0 };
const ON = {
  name: "production",
  type: "production",
  sortOrder: 1,
  lastSeenAt: null,
  enabled: true,
  variantCount: 0,
  hasStrategies: true,
  hasEnabledStrategies: true,
  reach: EVERYONE,
};

test.each([
  ["everyone", {}],
  ["25%", { percentage: 25 }],
  ["nobody", { percentage: 0 }],
  ["2 segments", { percentage: null, conditionalCount: 1, segmentCount: 2 }],
  ["1 rule", { percentage: null, conditionalCount: 1 }],
  ["25% + 1 segment", { strategyCount: 2, percentage: 25, conditionalCount: 1, segmentCount: 1 }],
  ["everyone", { strategyCount: 2, conditionalCount: 1, segmentCount: 1 }],
  ["off", { strategyCount: 0, percentage: null }],
])("says %j for %j", (audience, reach) => {
  expect(describeReach({ ...ON, reach: { ...EVERYONE, ...reach } })).toEqual({
    audience,
    variants: "",
  });
});

test("says that a flag is off", () => {
  expect(describeReach({ ...ON, enabled: false })).toEqual({ audience: "off", variants: "" });
});

test("says what the next step of a rollout plan is", () => {
  const nextOf = (state: "paused" | "running" | "waiting", nextAt: string | null) =>
    describeReach({ ...ON, nextStep: { state, rollout: 50, nextAt } }).next;
  expect(nextOf("running", "2026-03-01T12:00:00Z")).toEqual({
    text: "then 50%",
    details: expect.stringContaining("2026"),
  });
  expect(nextOf("waiting", null)?.details).toBe("When somebody goes on");
  expect(nextOf("paused", null)?.details).toBe("The rollout plan is paused");
});

test("counts the variants of a single strategy", () => {
  expect(describeReach({ ...ON, variantCount: 3 }).variants).toBe("3 variants");
  const reach = { ...EVERYONE, strategyCount: 2 };
  expect(describeReach({ ...ON, variantCount: 6, reach }).variants).toBe("variants");
});
