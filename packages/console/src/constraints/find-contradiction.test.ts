import { expect, test } from "vitest";
import type { Constraint } from "../api/types.ts";
import { findContradiction } from "./find-contradiction.ts";

const NOW_MS = Date.parse("2026-06-01T00:00:00Z");

type Part = Partial<Constraint> & Pick<Constraint, "operator">;

const toConstraint = (part: Part): Constraint => ({
  contextName: "plan",
  values: [],
  inverted: false,
  caseInsensitive: false,
  ...part,
});
const contradictionIn = (...parts: readonly Part[]) =>
  findContradiction(
    parts.map((part) => ({ constraint: toConstraint(part) })),
    NOW_MS,
  );

const oneOf = (...values: string[]): Part => ({ operator: "IN", values });
const noneOf = (...values: string[]): Part => ({ operator: "NOT_IN", values });
const number = (operator: string, value: string): Part => ({ operator: `NUM_${operator}`, value });
const time = (operator: string, value: string): Part => ({ operator: `DATE_${operator}`, value });

test.each<[string, readonly Part[], string]>([
  ["an empty list", [oneOf()], "The list of values for plan is empty."],
  ["an inverted NOT_IN with an empty list", [{ ...noneOf(), inverted: true }], "is empty"],
  ["an empty list of prefixes", [{ operator: "STR_STARTS_WITH" }], "is empty"],
  ["a time that has passed", [time("BEFORE", "2026-05-31T00:00:00Z")], "has passed."],
  [
    "not after a time that has passed",
    [{ ...time("AFTER", "2026-05-31T00:00:00Z"), inverted: true }],
    "has passed.",
  ],
  [
    "disjoint lists",
    [oneOf("a", "b"), oneOf("c")],
    "“plan is one of a, b” and “plan is c” exclude each other.",
  ],
  ["a list of only excluded values", [oneOf("a"), noneOf("a", "b")], "“plan is a” and"],
  ["an inverted list", [{ ...oneOf("a", "b"), inverted: true }, oneOf("b")], "exclude"],
  ["numbers above and below", [number("GT", "5"), oneOf("x"), number("LT", "3")], "exclude"],
  ["an open interval", [number("LT", "5"), number("GTE", "5")], "exclude"],
  ["different numbers", [number("EQ", "5"), number("EQ", "6")], "exclude"],
  [
    "an interval of times that ends before it begins",
    [time("AFTER", "2026-09-01T00:00:00Z"), time("BEFORE", "2026-08-01T00:00:00Z")],
    "exclude",
  ],
])("findContradiction() finds %s", (_what, parts, sentence) => {
  expect(contradictionIn(...parts)).toContain(sentence);
});

test.each<[string, readonly Part[]]>([
  ["no constraints", []],
  ["NOT_IN with an empty list", [noneOf()]],
  ["an inverted empty list", [{ ...oneOf(), inverted: true }]],
  ["lists with a common value", [oneOf("a", "b"), oneOf("b", "c")]],
  ["lists of which something is left", [oneOf("a", "b"), noneOf("a")]],
  ["two lists of excluded values", [noneOf("a"), noneOf("b")]],
  ["lists for different fields", [oneOf("a"), { ...oneOf("b"), contextName: "country" }]],
  ["a closed interval", [number("LTE", "5"), number("GTE", "5"), number("EQ", "5")]],
  [
    "an inverted comparison, which holds without a value",
    [{ ...number("GT", "5"), inverted: true }, number("GT", "7")],
  ],
  ["a time that comes", [time("BEFORE", "2026-06-02T00:00:00Z")]],
  ["a time that has passed, after it", [time("AFTER", "2026-05-31T00:00:00Z")]],
  [
    "values that cannot be read",
    [number("GT", "x"), time("BEFORE", "soon"), { operator: "NEWER", values: ["a"] }],
  ],
])("findContradiction() finds nothing in %s", (_what, parts) => {
  expect(contradictionIn(...parts)).toBeUndefined();
});

test("names the segment of a constraint", () => {
  expect(
    findContradiction(
      [
        { constraint: toConstraint(oneOf("a")) },
        { constraint: toConstraint(oneOf("b")), segment: "Staff" },
      ],
      NOW_MS,
    ),
  ).toBe("“plan is a” and “plan is b” (segment Staff) exclude each other.");
});
