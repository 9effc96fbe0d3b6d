import { expect, test } from "vitest";
import type { Evaluation } from "../api/types.ts";
import { explainOutcome, outcomeOf } from "./outcome.ts";

const OFF: Evaluation = {
  name: "f",
  projectId: "default",
  isEnabled: false,
  isEnabledInCurrentEnvironment: true,
  hasUnsatisfiedDependency: false,
  strategies: { result: false, data: [] },
  variant: { name: "disabled", enabled: false, feature_enabled: false, featureEnabled: false },
  variants: [],
  explanation: "The flag is off because plan is absent.",
  details: { reason: "DEFAULT", mayChange: false, dependencies: [], strategies: [] },
};

const CUSTOM: Evaluation["strategies"] = {
  result: "unknown",
  data: [
    {
      id: "1",
      name: "lunar",
      title: null,
      disabled: false,
      parameters: {},
      result: { enabled: "unknown", evaluationStatus: "incomplete", reason: "strategy not found" },
      constraints: [],
      segments: [],
      links: { edit: "" },
    },
  ],
};

test("a flag is on with its variant, or off", () => {
  expect(outcomeOf(OFF)).toEqual({ state: "off" });
  expect(explainOutcome(OFF)).toBe("The flag is off because plan is absent.");
  const on = { ...OFF, isEnabled: true };
  expect(outcomeOf(on)).toEqual({ state: "on" });
  const variant = { name: "red", enabled: true, feature_enabled: true, featureEnabled: true };
  expect(outcomeOf({ ...on, variant })).toEqual({ state: "on", variant: "red" });
});

test("the result of a custom strategy is unknown, unless the flag is off anyway", () => {
  const custom = { ...OFF, strategies: CUSTOM };
  expect(outcomeOf(custom)).toEqual({ state: "unknown" });
  expect(explainOutcome(custom)).toContain("custom strategy lunar");
  expect(outcomeOf({ ...custom, isEnabledInCurrentEnvironment: false }).state).toBe("off");
  expect(outcomeOf({ ...custom, hasUnsatisfiedDependency: true }).state).toBe("off");
});
