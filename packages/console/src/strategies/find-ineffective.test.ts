import { expect, test } from "vitest";
import type { Strategy } from "../api/types.ts";
import { describeImpossible, findIneffective } from "./find-ineffective.ts";

const constraint = (value: string) => ({
  contextName: "country",
  operator: "IN",
  values: [value],
  inverted: false,
  caseInsensitive: false,
});
const NORDIC = { id: 7, name: "Nordics", constraints: [constraint("NO")] };

function strategy(part: Partial<Strategy>): Strategy {
  return {
    id: "1",
    name: "flexibleRollout",
    title: null,
    disabled: false,
    parameters: { rollout: "100", stickiness: "default", groupId: "f" },
    constraints: [],
    segments: [],
    variants: [],
    sortOrder: 0,
    ...part,
  };
}
const rollout = (percentage: string, stickiness = "default") =>
  strategy({ parameters: { rollout: percentage, stickiness, groupId: "f" } });

const EVERYONE = strategy({});
const SOME = rollout("25");
const VARIANTS = [
  { name: "red", weight: 1000, weightType: "variable" as const, stickiness: "default" },
];
const ineffective = (...strategies: readonly Strategy[]) =>
  findIneffective(strategies, [NORDIC], 0).map((reason) => reason !== undefined);

test.each<[string, readonly Strategy[], readonly boolean[]]>([
  ["one for everyone", [EVERYONE], [false]],
  ["one beside everyone", [SOME, EVERYONE, SOME], [true, false, true]],
  ["two for everyone", [strategy({ name: "default" }), EVERYONE], [false, true]],
  [
    "one with variants before everyone",
    [strategy({ variants: VARIANTS, segments: [7] }), EVERYONE],
    [false, false],
  ],
  ["one before everyone with variants", [SOME, strategy({ variants: VARIANTS })], [false, false]],
  ["one with variants after everyone", [EVERYONE, strategy({ variants: VARIANTS })], [false, true]],
  ["a disabled one for everyone", [SOME, strategy({ disabled: true })], [false, false]],
  ["a disabled one beside everyone", [EVERYONE, strategy({ disabled: true })], [false, false]],
  ["everyone with a user id", [rollout("100", "userId"), SOME], [false, false]],
  ["everyone in a segment", [strategy({ segments: [7] }), SOME], [false, false]],
  ["everyone whom a custom strategy selects", [strategy({ name: "lunar" }), SOME], [false, false]],
])("findIneffective() of %s", (_what, strategies, expected) => {
  expect(ineffective(...strategies)).toEqual(expected);
});

test("describeImpossible() also looks at the constraints of segments", () => {
  const known = [NORDIC];
  const inGermany = strategy({ constraints: [constraint("DE")], segments: [7] });
  expect(describeImpossible(inGermany, known, 0)).toBe(
    "This can never match. “country is DE” and “country is NO” (segment Nordics) exclude each other.",
  );
  expect(describeImpossible(strategy({ segments: [7, 8] }), known, 0)).toBeUndefined();
  expect(ineffective(inGermany, EVERYONE)).toEqual([true, false]);
});
