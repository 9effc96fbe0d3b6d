import { describe, expect, test } from "vitest";
import { evaluateFlag } from "../_evaluate.ts";

describe("applicationHostname()", () => {
  test.each([
    ["web-1,web-2", true],
    ["WEB-2", true],
    ["web-1", false],
    ["", false],
    [undefined, false],
  ])(
    "applicationHostname() with the list %j on the host Web-2 is %j for every context",
    (hostNames, expected) => {
      const strategies = [{ name: "applicationHostname", parameters: { hostNames } }];
      const outcome = evaluateFlag({ strategies }, { hostname: "web-1" }, { hostname: "Web-2" });
      expect(outcome.enabled).toBe(expected);
    },
  );
});
