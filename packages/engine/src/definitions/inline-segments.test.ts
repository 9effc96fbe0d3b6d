import { expect, test } from "vitest";
import { outcomeOf, snapshotOf } from "../../test/_evaluate.ts";
import { ClientSpecError, inlineSegments, mustInlineSegments } from "./inline-segments.ts";

const constraint = (...values: readonly string[]) => ({
  contextName: "userId",
  operator: "IN",
  values,
});
const ONE_AND_TWO = [constraint("one"), constraint("two")];
const SEGMENTS = [
  { id: 1, name: "s", constraints: ONE_AND_TWO },
  { id: 2, name: "t", constraints: [constraint("three")] },
  { id: 3, name: "everyone", constraints: [] },
  { id: 4, name: "malformed", constraints: {} },
  { name: "without an id", constraints: [] },
];
const inlineInto = (strategy: unknown): unknown =>
  inlineSegments([{ name: "f", strategies: [strategy] }], SEGMENTS)[0];

test.each([
  ["after those of the strategy", [1], [constraint("own"), ...ONE_AND_TWO]],
  ["of all its segments", [2, 1], [constraint("own"), constraint("three"), ...ONE_AND_TWO]],
  ["of no segment without constraints", [3], [constraint("own")]],
  ["that no context satisfies, for an unknown segment", [9], [constraint("own"), constraint()]],
  ["that no context satisfies, for a malformed segment", [4], [constraint("own"), constraint()]],
  [
    "that no context satisfies, instead of a list of segments",
    5,
    [constraint("own"), constraint()],
  ],
  ["of no segment if the strategy has none", undefined, [constraint("own")]],
  ["of no segment if the list is null", null, [constraint("own")]],
])("inlineSegments() adds constraints %s", (_title, segments, constraints) => {
  const strategy = { name: "default", constraints: [constraint("own")], parameters: { a: "b" } };
  expect(inlineInto({ ...strategy, ...(segments !== undefined && { segments }) })).toStrictEqual({
    name: "f",
    strategies: [{ ...strategy, constraints }],
  });
});

test("inlineSegments() adds a list of constraints to a strategy that has none", () => {
  expect(inlineInto({ name: "default", segments: [9] })).toStrictEqual({
    name: "f",
    strategies: [{ name: "default", constraints: [constraint()] }],
  });
});

test("inlineSegments() replaces constraints that are not a list by one that no context satisfies", () => {
  expect(inlineInto({ name: "default", constraints: { contextName: "userId" } })).toStrictEqual({
    name: "f",
    strategies: [{ name: "default", constraints: [constraint()] }],
  });
});

test.each([
  { segments: 5 },
  { segments: "1" },
  { segments: {} },
  { segments: [4] },
  { segments: [undefined] },
  { constraints: 5 },
  { constraints: "x", segments: [3] },
  { segments: null, constraints: "" },
  { segments: 0, constraints: null },
  { segments: [1] },
  { segments: [3] },
])("inlineSegments() keeps the result of a strategy with %j", (parts) => {
  const features = [{ name: "f", enabled: true, strategies: [{ name: "default", ...parts }] }];
  const results = [
    { features, segments: SEGMENTS },
    { features: inlineSegments(features, SEGMENTS) },
  ].map((document) => outcomeOf(snapshotOf(document), "f", { userId: "one" }).enabled);
  expect(results[1]).toBe(results[0]);
});

test("inlineSegments() returns malformed flags and strategies unchanged", () => {
  const features = [null, "f", { name: "f" }, { name: "f", strategies: [null, "default"] }];
  expect(inlineSegments(features, [null, "s", { id: 3 }])).toStrictEqual(features);
});

test("inlineSegments() rejects segments that would add more than 32 MiB", () => {
  const segments = [{ id: 1, constraints: [constraint("x".repeat(1024 * 1024))] }];
  const flagWith = (count: number) => ({
    name: "f",
    strategies: Array.from({ length: count }, () => ({ name: "default", segments: [1] })),
  });
  expect(inlineSegments([flagWith(31)], segments)).toHaveLength(1);
  expect(() => inlineSegments([flagWith(16), flagWith(16)], segments)).toThrow(ClientSpecError);
});

test("inlineSegments() does not change its arguments", () => {
  const features = [{ name: "f", strategies: [{ name: "default", segments: [1] }] }];
  const before = structuredClone({ features, segments: SEGMENTS });
  inlineSegments(features, SEGMENTS);
  expect({ features, segments: SEGMENTS }).toStrictEqual(before);
});

test.each([
  [undefined, true],
  ["3.9.9", true],
  ["4.1.9", true],
  ["4.2.0-beta.1", true],
  ["4.2.0", false],
  ["4.2.0+build", false],
  ["4.2.1-beta.1+b", false],
  ["4.10.0", false],
  [" 5.2.0 ", false],
  ["10.0.0", false],
])("mustInlineSegments() for %j is %s", (version, expected) => {
  expect(mustInlineSegments(version)).toBe(expected);
});

test.each(["", "latest", "4", "4.2", "v4.2.0", "=4.2.0", "4.2.0.1", "4.x.0", "04.2.0"])(
  "mustInlineSegments() throws for %j, which is not a version",
  (version) => {
    expect(() => mustInlineSegments(version)).toThrow(ClientSpecError);
  },
);
