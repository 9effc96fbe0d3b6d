import { expect, test } from "vitest";
import type { Constraint } from "../api/types.ts";
import {
  describeDownload,
  describeListProblem,
  describeValueProblem,
  maxValuesOf,
  parseLines,
  parseValues,
  withValues,
} from "./values.ts";
import { describeConstraint } from "./describe-constraint.ts";
import { withField, withOperator } from "./operators.ts";

function constraint(part: Partial<Constraint>): Constraint {
  return {
    contextName: "country",
    operator: "IN",
    values: [],
    inverted: false,
    caseInsensitive: false,
    ...part,
  };
}

test.each([
  [{ values: ["DE", "AT", "CH", "LI", "LU"] }, "country is one of DE, AT (+3)"],
  [{ values: ["DE"] }, "country is DE"],
  [{ values: ["DE"], inverted: true }, "country is not DE"],
  [{ operator: "NOT_IN", values: ["DE", "AT"], inverted: true }, "country is one of DE, AT"],
  [{ operator: "STR_STARTS_WITH", values: ["D"] }, "country starts with D"],
  [{ operator: "NUM_GTE", value: "18", inverted: true }, "country is not at least 18"],
  [{ operator: "SEMVER_LT", value: "2.0.0" }, "country is earlier than version 2.0.0"],
  [{ operator: "FUTURE", values: ["x"] }, "country FUTURE x"],
  [{}, "country is one of …"],
])("describeConstraint() describes %j", (part, line) => {
  expect(describeConstraint(constraint(part))).toBe(line);
});

test("describeConstraint() describes times as such, whichever field the constraint names", () => {
  const line = describeConstraint(
    constraint({ operator: "DATE_AFTER", value: "2026-01-31T12:00:00Z" }),
  );
  expect(line).toMatch(/^the time is after 31 Jan 2026/);
});

test.each([
  ["number", "5.5", true],
  ["number", "-1e3", true],
  ["number", "five", false],
  ["number", "0x1F", false],
  ["number", "Infinity", false],
  ["number", " ", false],
  ["version", "1.2.3-beta.1+build", true],
  ["version", "v1.2.3", false],
  ["version", "1.2", false],
  ["date", "2026-01-31T12:00:00Z", true],
  ["date", "soon", false],
  ["pattern", "^a", true],
  ["pattern", "a(?=b)", false],
] as const)("describeValueProblem() checks the %s %j", (kind, value, isValid) => {
  expect(describeValueProblem(kind, value) === undefined).toBe(isValid);
});

test("describeListProblem() names what is wrong with a list", () => {
  const rules = { kind: "strings", legalValues: [] } as const;
  expect(describeListProblem(["a"], rules)).toBeUndefined();
  expect(describeListProblem([], rules)).toMatch("at least one");
  expect(describeListProblem(["x".repeat(101)], rules)).toMatch("100 characters");
  const many = Array.from({ length: 251 }, (_, index) => `${index}`);
  expect(describeListProblem(many, rules)).toMatch("at most 250 values; these are 251");
  expect(describeListProblem(["a", "b"], { ...rules, legalValues: ["a"] })).toBe(
    "The context field does not allow b.",
  );
});

test.each([
  ["IN", true, 10_000],
  ["NOT_IN", true, 10_000],
  ["STR_CONTAINS", true, 250],
  ["IN", false, 250],
] as const)(
  "maxValuesOf() a list with %s, in a segment: %s, is %i",
  (operator, isInSegment, max) => {
    expect(maxValuesOf(operator, isInSegment)).toBe(max);
  },
);

test("describeDownload() says what a list costs from 1,000 values on", () => {
  const ids = Array.from({ length: 10_000 }, () => "\u00fc".repeat(18));
  expect(describeDownload(ids.slice(0, 999))).toBeUndefined();
  expect(describeDownload(ids)).toMatch(/^Adds 391 kB, before compression,/);
});

test("describeListProblem() finds values that are not addresses", () => {
  const rules = { kind: "addressRanges", legalValues: [] } as const;
  const valid = ["10.0.0.0/8", "192.168.1.7", "2001:db8::/32", "::1"];
  expect(describeListProblem([...valid, "::ffff:10.0.0.1/128"], rules)).toBeUndefined();
  for (const value of [
    "localhost",
    "10.0.0.0/33",
    "10.0.0",
    "256.0.0.1",
    ":::",
    "1::2::3",
    "::/129",
  ]) {
    expect(describeListProblem(["10.0.0.0/8", value], rules)).toMatch(
      `${value} is not an IP address`,
    );
  }
});

test("parseValues() splits pasted lists and removes quotes, spaces and duplicates", () => {
  expect(parseValues(`a, "b c",\r\n'd'\te;a,,`)).toEqual(["a", "b c", "d", "e"]);
});

test("parseLines() keeps commas in values", () => {
  expect(parseLines("Doe, Jane\n\n x \r\nx")).toEqual(["Doe, Jane", "x"]);
});

test("withValues() adds ten thousand values without duplicates", () => {
  const many = Array.from({ length: 10_000 }, (_, index) => `user-${index}`);
  expect(withValues(many, ["user-1", "new"])).toHaveLength(10_001);
});

test("withOperator() keeps values where they make sense", () => {
  const list = constraint({ values: ["a", "b"], inverted: true });
  expect(withOperator(list, "NOT_IN")).toEqual({ ...list, operator: "NOT_IN" });
  expect(withOperator(list, "NUM_GT")).toEqual({
    ...list,
    operator: "NUM_GT",
    values: [],
    value: "a",
  });
  expect(withOperator(list, "DATE_AFTER")).toMatchObject({ values: [], value: "" });
  expect(withOperator(list, "REGEX")).toMatchObject({ inverted: false, value: "a" });
  const number = constraint({ operator: "NUM_GT", value: "5" });
  expect(withOperator(number, "IN")).toEqual(constraint({ values: ["5"] }));
});

test("withOperator() removes the option about case if the operator does not support it", () => {
  const text = constraint({ operator: "STR_CONTAINS", values: ["a"], caseInsensitive: true });
  expect(withOperator(text, "STR_ENDS_WITH").caseInsensitive).toBe(true);
  expect(withOperator(text, "IN").caseInsensitive).toBe(false);
});

test("withField() compares times if the field is currentTime", () => {
  expect(withField(constraint({}), "currentTime").operator).toBe("DATE_AFTER");
  expect(withField(constraint({ values: ["a"] }), "currentTime").operator).toBe("IN");
});
