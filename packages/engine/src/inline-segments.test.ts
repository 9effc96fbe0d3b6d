import { expect, test } from "vitest";
import { inlineSegments } from "./inline-segments.ts";

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
];
const inlineInto = (strategy: unknown): unknown =>
  inlineSegments([{ name: "f", strategies: [strategy] }], SEGMENTS)[0];

test.each([
  ["after those of the strategy", [1], [constraint("own"), ...ONE_AND_TWO]],
  ["of all segments", [2, 1], [constraint("own"), constraint("three"), ...ONE_AND_TWO]],
  ["of which an empty segment has none", [3], [constraint("own")]],
  ["that nobody meets, for an unknown segment", [9], [constraint("own"), constraint()]],
  ["of no segment when there are no ids", undefined, [constraint("own")]],
])("inlineSegments() adds constraints %s", (_title, segments, constraints) => {
  const strategy = { name: "default", constraints: [constraint("own")], parameters: { a: "b" } };
  expect(inlineInto({ ...strategy, ...(segments !== undefined && { segments }) })).toStrictEqual({
    name: "f",
    strategies: [{ ...strategy, constraints }],
  });
});

test("inlineSegments() makes a list of constraints when a strategy has none", () => {
  expect(inlineInto({ name: "default", segments: [9] })).toStrictEqual({
    name: "f",
    strategies: [{ name: "default", constraints: [constraint()] }],
  });
});

test("inlineSegments() leaves alone what it cannot read", () => {
  const features = [null, "f", { name: "f" }, { name: "f", strategies: [null, "default"] }];
  expect(inlineSegments(features, [null, "s", { id: 3 }])).toStrictEqual(features);
});

test("inlineSegments() changes nothing of what it is given", () => {
  const features = [{ name: "f", strategies: [{ name: "default", segments: [1] }] }];
  const before = structuredClone({ features, segments: SEGMENTS });
  inlineSegments(features, SEGMENTS);
  expect({ features, segments: SEGMENTS }).toStrictEqual(before);
});
