import { describe, expect, test } from "vitest";
import { evaluateFlag, matches } from "../_evaluate.ts";

describe.each([
  ["gradualRolloutUserId", "userId"],
  ["gradualRolloutSessionId", "sessionId"],
])("%s", (name, field) => {
  const strategy = (percentage: unknown): Record<string, unknown> => ({
    name,
    parameters: { percentage, groupId: "gr1" },
  });

  test("is on from the percentage that includes the bucket of the id", () => {
    // gr1:123 has bucket 73.
    expect(matches(strategy("73"), { [field]: "123" })).toBe(true);
    expect(matches(strategy("72"), { [field]: "123" })).toBe(false);
    expect(matches(strategy(73), { [field]: 123 })).toBe(true);
  });

  test("is off for contexts without an id, even at 100 percent", () => {
    expect(matches(strategy("100"))).toBe(false);
    expect(matches(strategy("100"), { [field]: "" })).toBe(false);
    expect(matches(strategy("100"), { properties: { [field]: "123" } })).toBe(false);
    expect(matches(strategy("100"), { [field]: "123" })).toBe(true);
  });
});

describe("gradualRolloutRandom()", () => {
  const strategies = [{ name: "gradualRolloutRandom", parameters: { percentage: "40" } }];

  test.each([
    [0, true],
    [0.39, true],
    [0.4, false],
    [0.99, false],
  ])("draws a number from 1 to 100: for the random number %d it is %j", (random, expected) => {
    expect(evaluateFlag({ strategies }, {}, { random: () => random }).enabled).toBe(expected);
  });

  test("draws no random number at 0 and 100 percent", () => {
    const invalidRandom = { random: () => Number.NaN };
    const flagAt = (percentage: unknown): Record<string, unknown> => ({
      strategies: [{ name: "gradualRolloutRandom", parameters: { percentage } }],
    });
    expect(evaluateFlag(flagAt("0"), {}, invalidRandom).enabled).toBe(false);
    expect(evaluateFlag(flagAt("many"), {}, invalidRandom).enabled).toBe(false);
    expect(evaluateFlag(flagAt("100"), {}, invalidRandom).enabled).toBe(true);
  });
});
