import { describe, expect, test } from "vitest";
import { snapshotOf } from "../../test/_evaluate.ts";
import type { Context } from "../context.ts";
import { explain } from "./explain.ts";

type Parts = Readonly<Record<string, unknown>>;

function explainFlag(parts: Parts, context: Context = {}, others: readonly Parts[] = []) {
  const flag = { name: "flag", enabled: true, strategies: [], ...parts };
  const segments = [
    {
      id: 1,
      name: "nordic",
      constraints: [{ contextName: "country", operator: "IN", values: ["DK", "SE"] }],
    },
  ];
  const snapshot = snapshotOf({ features: [flag, ...others], segments });
  const explanation = explain(snapshot, "flag", context);
  if (explanation === undefined) throw new Error("The flag exists");
  return explanation;
}

const rollout = (percentage: string, more: Parts = {}) => ({
  name: "flexibleRollout",
  parameters: { rollout: percentage, stickiness: "default", groupId: "flag" },
  ...more,
});
const forPlans = (...values: string[]) => ({
  name: "default",
  constraints: [{ contextName: "plan", operator: "IN", values }],
});
const halves = [
  { name: "red", weight: 500, stickiness: "default" },
  { name: "blue", weight: 500, overrides: [{ contextName: "userId", values: ["vip"] }] },
];

describe("explain() says in a sentence why a flag", () => {
  const parent = (enabled: boolean) => ({ name: "parent", enabled, strategies: [] });
  const requiresParent = { dependencies: [{ feature: "parent" }] };
  const cases: readonly (readonly [string, Parts, Context, string])[] = [
    ["is disabled", { enabled: false }, {}, "off because it is turned off in this environment"],
    ["has no strategies", {}, {}, "on for everyone"],
    [
      "has malformed strategies",
      { strategies: "all" },
      {},
      "off because its strategies are malformed",
    ],
    ["has a strategy for everyone", { strategies: [{ name: "default" }] }, {}, "on for everyone"],
    [
      "has a constraint that is satisfied",
      { strategies: [forPlans("free"), forPlans("pro", "team")] },
      { properties: { plan: "pro" } },
      'on because strategy 2 matches: plan is "pro"',
    ],
    [
      "has a constraint that is not satisfied",
      { strategies: [forPlans("a", "b", "c", "d", "e")] },
      { plan: "free" },
      'off because plan is "free", which is not "a", "b", "c" or 2 others',
    ],
    [
      "has a constraint on a field that is absent",
      { strategies: [forPlans("pro")] },
      {},
      'off because plan is absent, so it is not "pro"',
    ],
    [
      "has a segment that does not include the context",
      { strategies: [{ name: "default", segments: [1] }] },
      { country: "FR" },
      "off because the context is not in the segment nordic: " +
        'country is "FR", which is not "DK" or "SE"',
    ],
    [
      "is in a rollout",
      { strategies: [rollout("50")] },
      { userId: "3" },
      'on because userId "3" is in bucket 27 of 100, within the rollout of 50%',
    ],
    [
      "is not in a rollout",
      { strategies: [rollout("25")] },
      { sessionId: "3" },
      'off because sessionId "3" is in bucket 27 of 100, beyond the rollout of 25%',
    ],
    [
      "has no id for a rollout",
      { strategies: [{ name: "gradualRolloutUserId", parameters: { percentage: "50" } }] },
      {},
      "off because the rollout requires userId, which is absent",
    ],
    [
      "is for listed users",
      { strategies: [{ name: "userWithId", parameters: { userIds: "1, 2" } }] },
      { userId: "3" },
      'off because userId is "3", which is not "1" or "2"',
    ],
    [
      "has an unknown strategy and an unknown operator",
      {
        strategies: [
          { name: "lunar" },
          { name: "default", constraints: [{ contextName: "a", operator: "LIKE", value: "b" }] },
        ],
      },
      {},
      'off because no strategy matches: (1) Strategy "lunar" is unknown: it never matches; ' +
        '(2) Operator "LIKE" is unknown: the constraint is never satisfied',
    ],
    [
      "has a variant by weight",
      { variants: halves },
      { userId: "3" },
      "on for everyone; its variant is red, because the userId is in bucket 478 of 1000",
    ],
    [
      "has a variant by override",
      { variants: halves },
      { userId: "vip" },
      "on for everyone; its variant is blue, because userId is vip",
    ],
  ];
  test.each(cases)("%s", (_, parts, context, sentence) => {
    expect(explainFlag(parts, context).explanation).toBe(`The flag is ${sentence}.`);
  });

  test("explains that a parent is off, is missing, or has a parent itself", () => {
    const sentence = (...others: Parts[]): string =>
      explainFlag(requiresParent, {}, others).explanation;
    const required = "The flag is off because it requires the flag parent to be on";
    expect(sentence(parent(true))).toBe("The flag is on for everyone.");
    expect(sentence(parent(false))).toBe(`${required}, but that flag is off.`);
    expect(sentence()).toBe(`${required}, which is impossible: it does not exist.`);
    expect(sentence({ ...parent(true), dependencies: [{ feature: "other" }] })).toBe(
      `${required}, which is impossible: it has a parent itself.`,
    );
  });
});

test("explains all strategies, even of a disabled flag and after the one that matches", () => {
  const strategies = [{ name: "default" }, forPlans("pro")];
  const enabled = explainFlag({ strategies }, { plan: "pro" });
  const disabled = explainFlag({ enabled: false, strategies }, { plan: "pro" });
  expect(enabled).toMatchObject({ enabled: true, decidedBy: 0 });
  expect(disabled).not.toHaveProperty("decidedBy");
  for (const explanation of [enabled, disabled]) {
    expect(explanation.strategies.map(({ matched }) => matched)).toEqual([true, true]);
  }
});

test("shows what a constraint expected and what the context contains", () => {
  const ids = Array.from({ length: 1000 }, (_, index) => `user-${index}`);
  const constraint = { contextName: "userId", operator: "IN", values: ids, inverted: true };
  const explanation = explainFlag(
    { strategies: [{ name: "default", constraints: [constraint] }] },
    { userId: "user-900" },
  );
  expect(explanation.strategies[0]?.constraints).toEqual([
    {
      contextName: "userId",
      operator: "IN",
      inverted: true,
      caseInsensitive: false,
      values: { shown: ["user-900", ...ids.slice(0, 9)], count: 1000 },
      actual: "user-900",
      matched: false,
      explanation: 'userId is "user-900"',
    },
  ]);
});

test("date operators compare with the current time, whichever field the constraint names", () => {
  const constraint = { contextName: "birthday", operator: "DATE_AFTER", value: "2030-01-01" };
  const explanation = explainFlag(
    { strategies: [{ name: "default", constraints: [constraint] }] },
    { birthday: "2031-01-01" },
  );
  expect(explanation.mayChange).toBe(true);
  expect(explanation.strategies[0]?.constraints[0]).toMatchObject({
    contextName: "currentTime",
    actual: "2026-01-01T00:00:00.000Z",
    matched: false,
  });
});

const withoutPlan = { constraints: [{ contextName: "plan", operator: "IN", values: ["pro"] }] };
const half = { name: "half", enabled: true, strategies: [rollout("50")] };

test.each([
  ["a full rollout", { strategies: [rollout("100")] }],
  ["a flag that is turned off", { enabled: false, strategies: [rollout("50")] }],
  [
    "a full rollout that does not include the context",
    { strategies: [rollout("100", withoutPlan)] },
  ],
  ["a rollout that does not include the context", { strategies: [rollout("50", withoutPlan)] }],
  ["a rollout after a strategy that matches", { strategies: [{ name: "default" }, rollout("50")] }],
  ["a flag that is off and has variants", { strategies: [forPlans("pro")], variants: halves }],
  [
    "a flag that is turned off and has a parent",
    { enabled: false, dependencies: [{ feature: "half" }] },
  ],
])("the result of %s cannot change", (_, flag) => {
  expect(explainFlag(flag, {}, [half]).mayChange).toBe(false);
});

test.each([
  ["a partial rollout", { strategies: [rollout("50")] }],
  [
    "a random rollout",
    { strategies: [{ name: "gradualRolloutRandom", parameters: { percentage: "50" } }] },
  ],
  ["a flag with variants", { variants: halves }],
  ["a flag whose parent has a partial rollout", { dependencies: [{ feature: "half" }] }],
])("the result of %s can change if the context has no id", (_, flag) => {
  expect(explainFlag(flag, {}, [half]).mayChange).toBe(true);
});

test("the result of a partial rollout or of variants cannot change if the context has an id", () => {
  const flag = { strategies: [rollout("50")], variants: halves };
  expect(explainFlag(flag, { userId: "1" }).mayChange).toBe(false);
});

test("the result of a custom strategy can change, and the strategy reports an error once", () => {
  const errors: unknown[] = [];
  const isEnabled = (): never => {
    throw new Error("no");
  };
  const flag = { name: "flag", enabled: true, strategies: [{ name: "lunar" }] };
  const snapshot = snapshotOf(
    { features: [flag] },
    { strategies: [{ name: "lunar", isEnabled }], onStrategyError: (error) => errors.push(error) },
  );
  expect(explain(snapshot, "flag", {})?.mayChange).toBe(true);
  expect(errors).toHaveLength(1);
});

test.each([
  [true, "The flag is on because the custom strategy lunar matches."],
  [false, "The flag is off because the custom strategy lunar does not match."],
])("a custom strategy that returns %s is named", (result, sentence) => {
  const flag = { name: "flag", enabled: true, strategies: [{ name: "lunar" }] };
  const strategies = [{ name: "lunar", isEnabled: () => result }];
  const snapshot = snapshotOf({ features: [flag] }, { strategies });
  expect(explain(snapshot, "flag", {})).toMatchObject({ enabled: result, explanation: sentence });
});

test("long values are shortened", () => {
  const { explanation } = explainFlag(
    { strategies: [forPlans("y".repeat(5000))] },
    { plan: "x".repeat(100_000) },
  );
  expect(explanation.length).toBeLessThan(600);
});

test("a flag that the snapshot does not have is not explained", () => {
  expect(explain(snapshotOf({ features: [] }), "flag", {})).toBeUndefined();
});
