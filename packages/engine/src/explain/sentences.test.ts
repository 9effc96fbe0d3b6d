import { expect, test } from "vitest";
import { OPERATORS } from "../constraints/operator-table.ts";
import { describeConstraint } from "./sentences.ts";

test.each(Object.keys(OPERATORS))("describeConstraint() has words for %s", (operator) => {
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
