import { expect, test } from "vitest";
import type { Strategy } from "../api/types.ts";
import { describeBeginnings, describeEnvironment, describeStrategy } from "./describe-strategy.ts";
import { parametersOf } from "./strategy-labels.ts";

const NAMES = {
  segments: [
    { id: 1, name: "Beta testers" },
    { id: 2, name: "Staff" },
  ],
  types: [
    {
      name: "byPlan",
      title: "By plan",
      description: null,
      parameters: [
        { name: "plans", type: "list", required: true },
        { name: "share", type: "percentage" },
        { name: "note", type: "unknown", description: "A remark" },
        { type: "string" },
      ],
      editable: true,
      deprecated: false,
      displayName: "By country",
    },
  ],
};

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

const rollout = (percentage: string, stickiness: string) => ({
  parameters: { rollout: percentage, stickiness, groupId: "f" },
});
const inGermany = {
  contextName: "country",
  operator: "IN",
  values: ["DE"],
  inverted: false,
  caseInsensitive: false,
} as const;

test.each([
  [{}, "everyone"],
  [{ name: "default", parameters: {} }, "everyone"],
  [rollout("25", "default"), "25% of users"],
  [rollout("25", "sessionId"), "25% of sessions"],
  [rollout("12.9", "random"), "12% of evaluations"],
  [rollout("0.5", "random"), "nobody"],
  [rollout("25", "companyId"), "25% of the values of companyId"],
  [rollout("100", "companyId"), "everyone with a companyId"],
  [rollout("25", "constructor"), "25% of the values of constructor"],
  [rollout("0", "default"), "nobody"],
  [{ ...rollout("25", "default"), constraints: [inGermany] }, "25% of users whose country is DE"],
  [
    { constraints: [inGermany], segments: [1, 2] },
    "everyone in the segments Beta testers and Staff whose country is DE",
  ],
  [{ segments: [7] }, "everyone in the segment 7"],
  [
    { name: "userWithId", parameters: { userIds: "anna, ben,\ncarl,dora" } },
    "the users anna, ben (+2)",
  ],
  [{ name: "userWithId", parameters: {} }, "nobody"],
  [{ name: "remoteAddress", parameters: { IPs: "10.0.0.0/8" } }, "the address 10.0.0.0/8"],
  [{ name: "byPlan", parameters: {} }, "everyone whom “By plan” selects"],
  [
    {
      variants: ["red", "blue"].map((name) => ({
        name,
        weight: 500,
        weightType: "variable" as const,
        stickiness: "default",
      })),
    },
    "everyone, with the variants red (50%) and blue (50%)",
  ],
])("describeStrategy() describes %j", (part, sentence) => {
  expect(describeStrategy(strategy(part), NAMES)).toBe(sentence);
});

test("describeStrategy() counts what would make a sentence long", () => {
  const constraints = ["a", "b", "c", "d", "e"].map((contextName) => ({
    ...inGermany,
    contextName,
  }));
  expect(describeStrategy(strategy({ constraints }), NAMES)).toBe(
    "everyone whose a is DE, b is DE, c is DE and 2 other constraints apply",
  );
  expect(describeStrategy(strategy({ segments: [1, 2, 3, 4, 5, 6] }), NAMES)).toBe(
    "everyone in the segments Beta testers, Staff, 3 and 3 others",
  );
});

test("describeStrategy() mentions constraints on the time last", () => {
  const after = { ...inGermany, operator: "DATE_AFTER", values: [], value: "2026-01-31T12:00:00Z" };
  expect(describeStrategy(strategy({ constraints: [after, inGermany] }), NAMES)).toMatch(
    /^everyone whose country is DE, if the time is after 31 Jan 2026/,
  );
});

const DE = strategy({ constraints: [inGermany] });

test.each([
  [false, [strategy({})], "Off for everyone."],
  [true, [], "On for everyone."],
  [true, [DE, strategy({})], "On for everyone."],
  [true, [DE, strategy({ disabled: true })], "On for everyone whose country is DE."],
  [
    true,
    [DE, strategy({ segments: [1] })],
    "On for everyone whose country is DE and for everyone in the segment Beta testers.",
  ],
  [
    true,
    [DE, DE, DE],
    "On for everyone whose country is DE, for everyone whose country is DE, and through 1 more strategy.",
  ],
])("describeEnvironment() describes a flag that is on: %j", (enabled, strategies, sentence) => {
  expect(describeEnvironment({ enabled, strategies }, NAMES)).toBe(sentence);
});

test("describeEnvironment() warns that turning a flag on adds a strategy if all are disabled", () => {
  const strategies = [strategy({ disabled: true })];
  expect(describeEnvironment({ enabled: false, strategies }, NAMES)).toMatch("adds a strategy");
});

test.each([
  [true, [false, false], ["On for", "and for"]],
  [true, [true, false, true, false], ["Disabled, for", "On for", "Disabled, for", "and for"]],
  [false, [false, true], ["When on, for", "Disabled, for"]],
  [true, [], []],
])(
  "describeBeginnings() of a flag that is on: %j, with disabled strategies %j",
  (enabled, disabled, beginnings) => {
    const strategies = disabled.map((isDisabled) => ({ disabled: isDisabled }));
    expect(describeBeginnings({ enabled, strategies })).toEqual(beginnings);
  },
);

test("parametersOf() reads the declared parameters of custom strategies", () => {
  expect(
    parametersOf("byPlan", NAMES.types).map(({ name, kind, isRequired }) => [
      name,
      kind,
      isRequired,
    ]),
  ).toEqual([
    ["plans", "list", true],
    ["share", "percentage", false],
    ["note", "text", false],
  ]);
  expect(parametersOf("unknown", NAMES.types)).toEqual([]);
});
