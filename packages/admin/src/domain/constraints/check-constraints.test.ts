import { compileSnapshot, parseDocument } from "flags-engine";
import { expect, test } from "vitest";
import { checkConstraint, checkConstraints } from "./check-constraints.ts";
import { type ConstraintInput, LIST_OPERATORS, VALUE_OPERATORS } from "./schemas.ts";

const VALID_VALUES: Readonly<Record<string, string>> = {
  DATE: "2026-01-31T12:00:00Z",
  NUM: "5",
  REGEX: "^a",
  SEMVER: "1.2.3",
};

const VALID: readonly ConstraintInput[] = [
  ...LIST_OPERATORS.map((operator) => ({
    contextName: "userId",
    operator,
    values: [operator === "IN_CIDR" ? "10.0.0.0/8" : "a"],
  })),
  ...VALUE_OPERATORS.map((operator) => ({
    contextName: "userId",
    operator,
    value: VALID_VALUES[operator.split("_")[0] ?? ""] ?? "",
  })),
];

test.each(VALID)(
  "checkConstraint() accepts a constraint that the engine can evaluate: $operator",
  (given) => {
    const stored = checkConstraint(given, { legalValues: [], path: "/body" });
    const snapshot = compileSnapshot(
      parseDocument({
        features: [
          { name: "f", enabled: true, strategies: [{ name: "default", constraints: [stored] }] },
        ],
      }),
      { now: () => 0, random: () => 0 },
    );
    expect(snapshot.diagnostics).toEqual([]);
    // The engine reduces a flag whose constraint never matches to a constant outcome.
    expect(snapshot.flags[0]?.constantOutcome).toBeUndefined();
  },
);

test("checkConstraint() omits the empty value of a list operator", () => {
  const given = { contextName: "userId", operator: "IN", values: ["a"], value: "" } as const;
  expect(checkConstraint({ ...given, values: ["a"] }, { legalValues: [], path: "" })).toEqual({
    contextName: "userId",
    operator: "IN",
    values: ["a"],
    inverted: false,
    caseInsensitive: false,
  });
});

test("checkConstraints() does not let a list that exceeds the limit grow", () => {
  const list = (length: number) =>
    Array.from({ length }, (): ConstraintInput => ({
      contextName: "userId",
      operator: "IN",
      values: ["a"],
    }));
  const options = { legalValuesOf: () => [], path: "/body/constraints" };
  expect(checkConstraints(list(30), options)).toHaveLength(30);
  expect(() => checkConstraints(list(31), options)).toThrow("at most 30");
  expect(checkConstraints(list(35), { ...options, previousCount: 35 })).toHaveLength(35);
  expect(() => checkConstraints(list(36), { ...options, previousCount: 35 })).toThrow("at most 35");
});
