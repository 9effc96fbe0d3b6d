import { describe, expect, test } from "vitest";
import { evaluateFlag, matches, snapshotOf } from "../../test/_evaluate.ts";

const rollout = (parameters: Record<string, unknown>): Record<string, unknown> => ({
  name: "flexibleRollout",
  parameters: { groupId: "AB12A", stickiness: "default", rollout: "100", ...parameters },
});

describe("flexibleRollout()", () => {
  test("is on from the percentage that includes the bucket of the id", () => {
    // AB12A:122 has bucket 23.
    expect(matches(rollout({ rollout: "23" }), { userId: "122" })).toBe(true);
    expect(matches(rollout({ rollout: "22" }), { userId: "122" })).toBe(false);
  });

  test.each([
    ["23.9", true],
    [" 23 ", true],
    ["0x17", true],
    ["1000", true],
    [23, true],
    ["22.9", false],
    ["0.5", false],
    ["-1", false],
    ["", false],
    [null, false],
    ["23%", false],
    [undefined, false],
  ])("flexibleRollout() with the rollout %j is %j for bucket 23", (percentage, expected) => {
    expect(matches(rollout({ rollout: percentage }), { userId: "122" })).toBe(expected);
  });

  test.each(["23%", undefined, ["23"]])(
    "reports the rollout %j, which is not a number",
    (value) => {
      const strategies = [rollout({ rollout: value })];
      const { diagnostics } = snapshotOf({ features: [{ name: "f", enabled: true, strategies }] });
      expect(diagnostics).toEqual([
        { subject: 'flag "f"', message: "rollout must be a number: the strategy never matches" },
      ]);
    },
  );

  test("uses the user, then the session, then a random id", () => {
    const half = rollout({ rollout: "23" });
    expect(matches(half, { userId: "", sessionId: "122" })).toBe(true);
    expect(matches(half, { userId: 122 })).toBe(true);
    expect(matches(half, { userId: "999", sessionId: "122" })).toBe(false);
    expect(
      snapshotOf({ features: [{ name: "f", enabled: true, strategies: [half] }] })
        .contextDependencies,
    ).toEqual({
      fields: ["sessionId", "userId"],
      readsClock: false,
      drawsRandom: true,
      callsCustomStrategy: false,
    });
  });

  test("is off for contexts without the field of its stickiness", () => {
    const byTenant = rollout({ stickiness: "tenant" });
    expect(matches(byTenant, { userId: "122" })).toBe(false);
    expect(matches(byTenant, { tenant: "" })).toBe(false);
    expect(matches(byTenant, { properties: { tenant: "x" } })).toBe(true);
    const byUser = rollout({ stickiness: "userId", rollout: "23" });
    expect(matches(byUser, { userId: "122" })).toBe(true);
    expect(matches(byUser, { sessionId: "122" })).toBe(false);
  });

  test("converts a group that is not text as JavaScript does, as in the official SDK", () => {
    expect(matches(rollout({ groupId: ["AB12A"], rollout: "23" }), { userId: "122" })).toBe(true);
    expect(matches(rollout({ groupId: ["AB12A"], rollout: "22" }), { userId: "122" })).toBe(false);
    expect(matches(rollout({ groupId: { toString: 1 } }), { userId: "122" })).toBe(true);
  });

  test("uses an empty group or that of the context if it has none", () => {
    const groupless = rollout({ groupId: undefined, rollout: "23" });
    // ":7" has bucket 40 and "AB12A:122" has bucket 23.
    expect(matches(groupless, { userId: "7" })).toBe(false);
    expect(matches(rollout({ groupId: "", rollout: "40" }), { userId: "7" })).toBe(true);
    expect(matches(groupless, { userId: "122", featureToggle: "AB12A" })).toBe(true);
  });

  test.each([
    [{ rollout: "50" }, "SPLIT"],
    [{ rollout: "100" }, "STATIC"],
    [{ rollout: "100", stickiness: "userId" }, "TARGETING_MATCH"],
  ])("flexibleRollout() with %j has the reason %s", (parameters, reason) => {
    // gr1:1 has bucket 48.
    const flag = { strategies: [rollout({ groupId: "gr1", ...parameters })] };
    expect(evaluateFlag(flag, { userId: "1" })).toMatchObject({ enabled: true, reason });
  });
});

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
