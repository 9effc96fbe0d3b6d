import { expect, test } from "vitest";
import { OPERATORS } from "../constraints/registry.ts";
import { describeConstraint } from "./words.ts";

test.each([...OPERATORS.keys()])("describeConstraint() has words for %s", (operator) => {
  for (const matched of [true, false]) {
    const text = describeConstraint({
      contextName: "userId",
      operator,
      actual: "1",
      matched,
      inverted: false,
      caseInsensitive: false,
      value: "2",
    });
    expect(text).not.toContain(operator);
  }
});
