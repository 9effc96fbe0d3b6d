import { expect, test } from "vitest";
import { compareStates } from "./compare-states.ts";
import { describeRecordedStrategy, toWords } from "./recorded-words.ts";

const NAMES = { segments: [{ id: 7, name: "Beta testers" }], types: [] };

const country = (...values: readonly string[]) => ({
  contextName: "country",
  operator: "IN",
  values,
  inverted: false,
  caseInsensitive: false,
});
const PLAN = { ...country(), contextName: "plan", operator: "NUM_GT", value: "5", inverted: true };
const STRATEGY = {
  id: "a",
  name: "flexibleRollout",
  title: null,
  disabled: false,
  sortOrder: 0,
  parameters: { rollout: "25", stickiness: "userId", groupId: "f" },
  constraints: [country("DE", "AT")],
  segments: [7, 8],
  variants: [{ name: "red", weight: 500, weightType: "variable", stickiness: "default" }],
};

test("a strategy becomes fields that people know", () => {
  expect(toWords({ ...STRATEGY, title: "Pilot", disabled: true }, NAMES)).toEqual({
    type: "Gradual rollout",
    title: "Pilot",
    disabled: true,
    percentage: "25%",
    stickiness: "userId",
    "group id": "f",
    segments: ["Beta testers", "segment 8"],
    "country is one of": ["DE", "AT"],
    "variant red": "50%",
  });
  expect(describeRecordedStrategy(STRATEGY, NAMES)).toBe(
    "25% of users in the segments Beta testers and 8 whose country is one of DE, AT",
  );
});

test("the differences between two strategies are words", () => {
  const payload = { type: "json", value: "{}" };
  const after = {
    ...STRATEGY,
    parameters: { ...STRATEGY.parameters, rollout: "50" },
    constraints: [country("AT", "CH"), PLAN, PLAN],
    variants: [{ name: "red", weight: 1000, weightType: "fix", stickiness: "plan", payload }],
  };
  expect(compareStates(toWords(STRATEGY, NAMES), toWords(after, NAMES))).toEqual([
    { path: ["percentage"], before: "25%", after: "50%" },
    { path: ["country is one of"], before: ["DE"], after: ["CH"] },
    { path: ["variant red"], before: "50%", after: "100% (fixed), by plan, JSON: {}" },
    { path: ["plan is not greater than"], after: "5" },
    { path: ["plan is not greater than (2)"], after: "5" },
  ]);
});

test("lists are compared entry by entry", () => {
  const listOf = (userIds: string) => ({ name: "userWithId", parameters: { userIds } });
  expect(compareStates(toWords(listOf("a,b"), NAMES), toWords(listOf("b, c"), NAMES))).toEqual([
    { path: ["the users"], before: ["a"], after: ["c"] },
  ]);
});

test("constraints of segments and variants of environments become words too", () => {
  const overrides = [{ contextName: "userId", values: ["anna"] }];
  expect(
    toWords(
      {
        name: "Staff",
        constraints: [{ ...country("a"), operator: "STR_ENDS_WITH", caseInsensitive: true }],
      },
      NAMES,
    ),
  ).toEqual({
    name: "Staff",
    "country, ignoring case, ends with": ["a"],
  });
  expect(toWords({ variants: [{ name: "red", weight: 100, overrides }] }, NAMES)).toEqual({
    "variant red": "10%",
    "variant red, always for userId": ["anna"],
  });
});

test("counts the steps of rollout plans from 1", () => {
  expect(toWords({ step: 0, reason: "x" }, NAMES)).toEqual({ step: 1, reason: "x" });
});

test("keeps whatever else was recorded", () => {
  for (const state of [null, "a", 1, ["x"], { a: { b: 1 } }])
    expect(toWords(state, NAMES)).toEqual(state);
  const strange = {
    name: "lunar",
    parameters: { phase: 3 },
    constraints: [null, { operator: "NEWER" }],
    segments: ["x"],
    variants: [7],
  };
  expect(toWords(strange, NAMES)).toMatchObject({
    type: "lunar",
    phase: "3",
    "variant (unnamed)": "a share",
  });
  expect(describeRecordedStrategy({ name: "x" }, NAMES)).toBeUndefined();
});
