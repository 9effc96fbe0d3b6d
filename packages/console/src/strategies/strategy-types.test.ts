import { expect, test } from "vitest";
import { describeStrategyType, parametersOf } from "./strategy-types.ts";

test("custom strategies may have the names of properties that every object has", () => {
  for (const name of ["constructor", "toString", "__proto__"]) {
    expect(describeStrategyType(name, [])).toEqual({
      name,
      description: "A custom strategy, which your applications implement.",
    });
    expect(parametersOf(name, [])).toEqual([]);
  }
});
