import { expect, test } from "vitest";
import type { PlaygroundFlag } from "../api/types.ts";
import {
  countOutcomes,
  describeCombination,
  filterResults,
  resultsOf,
  variedFields,
} from "./filter-results.ts";

type Result = PlaygroundFlag["environments"][string][number];

function evaluation(isEnabled: boolean, variant?: string): Result {
  return {
    name: "f",
    projectId: "default",
    isEnabled,
    isEnabledInCurrentEnvironment: true,
    hasUnsatisfiedDependency: false,
    strategies: { result: isEnabled, data: [] },
    variant: {
      name: variant ?? "disabled",
      enabled: variant !== undefined,
      feature_enabled: isEnabled,
      featureEnabled: isEnabled,
    },
    variants: [],
    explanation: "",
    details: { reason: "DEFAULT", mayChange: false, dependencies: [], strategies: [] },
    context: {},
  };
}

const flag = (name: string, ...results: readonly Result[]): PlaygroundFlag => ({
  name,
  projectId: "default",
  environments: Object.fromEntries(results.map((result, index) => [`e${index}`, [result]])),
});

const flags = [
  flag("checkout", evaluation(true), evaluation(true)),
  flag("search", evaluation(false), evaluation(false)),
  flag("Colours", evaluation(true, "red"), evaluation(true, "blue")),
];

const namesOf = (query: string, show: Parameters<typeof filterResults>[1]["show"]) =>
  filterResults(flags, { query, show }).map(({ name }) => name);

test("filters flags by name and result", () => {
  expect(namesOf("", "all")).toEqual(["checkout", "search", "Colours"]);
  expect(namesOf(" col", "all")).toEqual(["Colours"]);
  expect(namesOf("", "on")).toEqual(["checkout", "Colours"]);
  expect(namesOf("", "off")).toEqual(["search"]);
  expect(namesOf("", "variant")).toEqual(["Colours"]);
  expect(namesOf("", "different")).toEqual(["Colours"]);
  expect(namesOf("search", "on")).toEqual([]);
});

test("counts the outcomes of several combinations", () => {
  const on = { state: "on" } as const;
  expect(countOutcomes([on, { state: "on", variant: "red" }, on])).toEqual([
    { outcome: on, count: 2 },
    { outcome: { state: "on", variant: "red" }, count: 1 },
  ]);
  expect(countOutcomes([])).toEqual([]);
});

test("describes a combination by the fields with several values", () => {
  const varied = variedFields({ userId: "1,2", country: "DK", plan: "free, pro" });
  const context = { userId: "2", properties: { country: "DK", plan: "pro" } };
  expect(describeCombination(context, varied)).toBe("userId 2, plan pro");
});

test("a flag has no results in an environment that its project does not contain", () => {
  expect(resultsOf(flag("f"), ["constructor"])).toEqual([
    { environment: "constructor", outcomes: [] },
  ]);
});
