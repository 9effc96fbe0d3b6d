import { expect, test } from "vitest";
import { compareStates } from "./compare-states.ts";

test("returns the changed fields only", () => {
  const before = {
    name: "f",
    type: "release",
    stale: false,
    parameters: { rollout: "10", groupId: "f" },
  };
  const after = { ...before, type: "experiment", parameters: { rollout: "50", groupId: "f" } };
  expect(compareStates(before, after)).toEqual([
    { path: ["type"], before: "release", after: "experiment" },
    { path: ["parameters", "rollout"], before: "10", after: "50" },
  ]);
});

test("names of fields cannot be mistaken for properties of objects", () => {
  expect(compareStates({}, { constructor: "a" })).toEqual([{ path: ["constructor"], after: "a" }]);
});

test("an absent value equals null, an empty string and an empty list", () => {
  expect(compareStates({ a: null, b: "", c: [], d: {} }, {})).toEqual([]);
  expect(compareStates({ a: false }, {})).toEqual([{ path: ["a"], before: false }]);
});

test("lists the content of something new or deleted", () => {
  const state = { name: "f", description: "", tags: ["x"] };
  expect(compareStates(null, state)).toEqual([
    { path: ["name"], after: "f" },
    { path: ["tags"], after: ["x"] },
  ]);
  expect(compareStates(state, null)).toEqual([
    { path: ["name"], before: "f" },
    { path: ["tags"], before: ["x"] },
  ]);
});

test("returns the strings that were added to a list and removed from it", () => {
  expect(compareStates({ values: ["DK", "NO"] }, { values: ["NO", "SE"] })).toEqual([
    { path: ["values"], before: ["DK"], after: ["SE"] },
  ]);
  expect(compareStates({ ids: ["1", "2"] }, { ids: ["2", "1"] })).toEqual([
    { path: ["ids"], before: ["1", "2"], after: ["2", "1"] },
  ]);
});

test("matches entries of lists by their identifying field", () => {
  const country = { contextName: "country", values: ["DK"] };
  const plan = { contextName: "plan", values: ["pro"] };
  expect(compareStates({ constraints: [country] }, { constraints: [plan, country] })).toEqual([
    { path: ["constraints", "plan"], after: plan },
  ]);
  const changed = { ...country, values: ["DK", "SE"] };
  expect(compareStates({ constraints: [country, plan] }, { constraints: [changed] })).toEqual([
    { path: ["constraints", "country", "values"], after: ["SE"] },
    { path: ["constraints", "plan"], before: plan },
  ]);
});

test("finds a change of one entry among several with the same name", () => {
  const one = { contextName: "plan", operator: "IN", values: ["a"] };
  const other = { contextName: "plan", operator: "NOT_IN", values: ["b"] };
  const differences = compareStates([one, other], [one, { ...other, values: ["c"] }]);
  expect(differences).toEqual([{ path: ["plan", "values"], before: ["b"], after: ["c"] }]);
  const both = compareStates(
    [one, other],
    [
      { ...one, values: ["x"] },
      { ...other, values: ["c"] },
    ],
  );
  expect(both).toEqual([
    { path: ["plan", "values"], before: ["a"], after: ["x"] },
    { path: ["plan", "values"], before: ["b"], after: ["c"] },
  ]);
});

test("entries without a name are added and removed as a whole", () => {
  expect(compareStates([{ a: 1 }], [{ a: 2 }])).toEqual([
    { path: [], before: { a: 1 } },
    { path: [], after: { a: 2 } },
  ]);
});

test(
  "compares long lists in time that is proportional to their length",
  { timeout: 10_000 },
  () => {
    // In quadratic time, this would take four times as long.
    const listOf = (prefix: string) =>
      Array.from({ length: 40_000 }, (_, index) => ({ value: `${prefix}${index}` }));
    expect(compareStates(listOf("a"), listOf("b"))).toHaveLength(80_000);
  },
);

test("compares whatever was recorded", () => {
  expect(compareStates("a", { a: 1 })).toEqual([{ path: [], before: "a", after: { a: 1 } }]);
  expect(compareStates(undefined, undefined)).toEqual([]);
  expect(compareStates({ a: { b: 1 } }, { a: ["b"] })).toEqual([
    { path: ["a"], before: { b: 1 }, after: ["b"] },
  ]);
});
