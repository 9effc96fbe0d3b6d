import { describe, expect, test, vi } from "vitest";
import { evaluateFlag } from "../../test/_evaluate.ts";
import type { StrategyError } from "./custom.ts";

const strategies = [{ name: "weekday", parameters: { day: "Monday" } }];

describe("toActivationStrategy()", () => {
  test("calls the custom strategy with its parameters and the context", () => {
    const isEnabled = vi.fn(() => true);
    const context = { userId: "7" };
    const outcome = evaluateFlag({ strategies }, context, {
      strategies: [{ name: "weekday", isEnabled }],
    });
    expect(outcome).toMatchObject({ enabled: true, reason: "TARGETING_MATCH" });
    expect(isEnabled).toHaveBeenCalledWith({ day: "Monday" }, context);
  });

  test("prefers a custom strategy to a built-in one, and the first of several with the same name", () => {
    const outcome = evaluateFlag(
      { strategies: [{ name: "default" }] },
      {},
      {
        strategies: [
          { name: "default", isEnabled: () => false },
          { name: "default", isEnabled: () => true },
        ],
      },
    );
    expect(outcome.enabled).toBe(false);
  });

  test("calls the custom strategy only if the constraints hold", () => {
    const isEnabled = vi.fn(() => true);
    const constraints = [{ contextName: "plan", operator: "IN", values: ["pro"] }];
    const flag = { strategies: [{ name: "weekday", constraints }] };
    evaluateFlag(flag, { plan: "free" }, { strategies: [{ name: "weekday", isEnabled }] });
    expect(isEnabled).not.toHaveBeenCalled();
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("no calendar");
      },
      "no calendar",
    ],
    ["returns a promise", () => Promise.resolve(true), "it returned a promise"],
    [
      "returns a promise that rejects",
      () => Promise.reject(new Error("late")),
      "it returned a promise",
    ],
  ])(
    "a custom strategy that %s does not match and is reported, and later strategies can still match",
    (_, isEnabled, text) => {
      const errors: StrategyError[] = [];
      const options = {
        strategies: [{ name: "weekday", isEnabled }],
        onStrategyError: (error: StrategyError) => errors.push(error),
      };
      expect(evaluateFlag({ strategies }, {}, options).enabled).toBe(false);
      expect(
        evaluateFlag({ strategies: [...strategies, { name: "default" }] }, {}, options).enabled,
      ).toBe(true);
      expect(errors[0]).toMatchObject({ strategy: "weekday", flag: "flag" });
      expect(String(errors[0]?.cause)).toContain(text);
    },
  );

  test("never matches an unknown strategy", () => {
    expect(evaluateFlag({ strategies }).enabled).toBe(false);
    expect(evaluateFlag({ strategies: [...strategies, { name: "default" }] }).enabled).toBe(true);
  });
});
