import { BUILT_IN_STRATEGY_NAMES } from "flags-engine";
import { expect, test } from "vitest";
import { describeStrategyType, parametersOf } from "./strategy-labels.ts";

test("custom strategies may be named like properties of every object", () => {
  for (const name of ["constructor", "toString", "__proto__"]) {
    expect(describeStrategyType(name, [])).toEqual({
      name,
      description: "A custom strategy, which your applications implement.",
    });
    expect(parametersOf(name, [])).toEqual([]);
  }
});

test("every built-in strategy of the engine has a name and a description", () => {
  expect(BUILT_IN_STRATEGY_NAMES.length).toBeGreaterThan(0);
  for (const name of BUILT_IN_STRATEGY_NAMES) {
    const { description } = describeStrategyType(name, []);
    expect(description).not.toContain("custom strategy");
  }
});
