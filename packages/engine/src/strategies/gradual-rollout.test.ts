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

  test("lets in the bucket of the id and every lower share keeps it out", () => {
    // gr1:123 falls into bucket 73.
    expect(matches(strategy("73"), { [field]: "123" })).toBe(true);
    expect(matches(strategy("72"), { [field]: "123" })).toBe(false);
    expect(matches(strategy(73), { [field]: 123 })).toBe(true);
  });

  test("keeps out contexts without an id, even at 100 percent", () => {
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
  ])("draws a number from 1 to 100: with dice at %d it is %j", (die, expected) => {
    expect(evaluateFlag({ strategies }, {}, { random: () => die }).enabled).toBe(expected);
  });

  test("needs no dice for nobody and everybody", () => {
    const noDice = { random: () => Number.NaN };
    const share = (percentage: unknown): object => ({
      strategies: [{ name: "gradualRolloutRandom", parameters: { percentage } }],
    });
    expect(evaluateFlag({ ...share("0") }, {}, noDice).enabled).toBe(false);
    expect(evaluateFlag({ ...share("many") }, {}, noDice).enabled).toBe(false);
    expect(evaluateFlag({ ...share("100") }, {}, noDice).enabled).toBe(true);
  });
});
