import {
  compileSnapshot,
  isListKind,
  type OperatorName,
  OPERATORS,
  parseDocument,
  type ValueKind,
} from "flags-engine";
import { expect, test } from "vitest";
import { checkConstraint, checkConstraints, type ConstraintInput } from "./check-constraints.ts";

const ANY_VALUE: ReadonlySet<string> = new Set();

const VALID_VALUES: Readonly<Record<ValueKind, string>> = {
  strings: "a",
  addressRanges: "10.0.0.0/8",
  number: "5",
  version: "1.2.3",
  date: "2026-01-31T12:00:00Z",
  pattern: "^a",
};

const VALID: readonly ConstraintInput[] = Object.entries(OPERATORS).map(([name, { kind }]) => {
  const value = VALID_VALUES[kind];
  return {
    contextName: "userId",
    operator: name as OperatorName,
    ...(isListKind(kind) ? { values: [value] } : { value }),
  };
});

test.each(VALID)(
  "checkConstraint() accepts a constraint that the engine can evaluate: $operator",
  (given) => {
    const stored = checkConstraint(given, { legalValues: ANY_VALUE, path: "/body" });
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

const STORED = { contextName: "userId", operator: "IN", inverted: false, caseInsensitive: false };

test.each([
  ["IN_CIDR", "10.0.0.0/8", true],
  ["IN_CIDR", " 192.168.1.7 ", true],
  ["IN_CIDR", "2001:db8::/32", true],
  ["IN_CIDR", "foo", false],
  ["IN_CIDR", "10.0.0.0/99", false],
  ["IN_CIDR", "10.0.0", false],
  ["IN_CIDR", "", false],
  ["IN", "foo", true],
] as const)("checkConstraint() checks addresses: %s %j", (operator, value, isValid) => {
  const given = { contextName: "remoteAddress", operator, values: ["10.0.0.1", value] };
  const check = () =>
    checkConstraint(given, { legalValues: ANY_VALUE, path: "/body/constraints/0" });
  if (isValid) expect(check().values).toEqual(given.values);
  else expect(check).toThrow("/body/constraints/0/values/1 must be an IP address or range");
});

test.each([
  ["2026-01-31", "2026-01-31T00:00:00.000Z"],
  ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"],
  ["2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00.000Z"],
  ["2024-02-29T23:59:59.123456789+05:30", "2024-02-29T18:29:59.123Z"],
  ["9999-12-31T23:59:59-01:00", undefined],
  ["2024-02-30T00:00:00Z", undefined],
  ["2023-02-29", undefined],
  ["2026-13-01", undefined],
  ["2026-01-31T24:00:00Z", undefined],
  ["2026-01-31T12:00Z", undefined],
  ["2026-01-31T12:00:00", undefined],
  ["2026-01-31 12:00:00Z", undefined],
  ["2026-01-31T12:00:00+0100", undefined],
  [" 2026-01-31", undefined],
  ["foo 1", undefined],
  ["1", undefined],
  ["2022", undefined],
  ["01/02/2022", undefined],
])("checkConstraint() stores times as all SDKs read them: %j", (value, stored) => {
  const given = { contextName: "currentTime", operator: "DATE_AFTER", value } as const;
  const check = () => checkConstraint(given, { legalValues: ANY_VALUE, path: "/body" });
  if (stored === undefined) expect(check).toThrow("/body/value must be an existing date");
  else expect(check().value).toBe(stored);
});

test("checkConstraint() accepts an allowed time in any form", () => {
  const legalValues = new Set(["2026-01-31"]);
  for (const value of ["2026-01-31", "2026-01-31T00:00:00.000Z"]) {
    const given = { contextName: "day", operator: "DATE_AFTER", value } as const;
    expect(checkConstraint(given, { legalValues, path: "" }).value).toBe(
      "2026-01-31T00:00:00.000Z",
    );
  }
});

test("checkConstraints() converts the allowed values of a field once, not for each constraint", () => {
  const legalValues = new Set(["2026-01-31", "2026-02-28"]);
  let reads = 0;
  const read = legalValues.values.bind(legalValues);
  legalValues[Symbol.iterator] = () => {
    reads++;
    return read();
  };
  const constraint = {
    contextName: "day",
    operator: "DATE_AFTER",
    value: "2026-02-28T00:00:00.000Z",
  } as const;
  const options = { legalValuesOf: () => legalValues, path: "" };
  expect(checkConstraints([constraint, constraint, constraint], options)).toHaveLength(3);
  expect(reads).toBe(1);
});

test.each([
  ["5", "5"],
  ["-0.25", "-0.25"],
  ["+5", "+5"],
  [".5", "0.5"],
  ["-.5", "-0.5"],
  ["1e6", "1e6"],
  ["1.5E-3", "1.5E-3"],
  ["5.", undefined],
  ["0x1F", undefined],
  ["Infinity", undefined],
  ["1e999", undefined],
  [" 5 ", undefined],
  ["1_000", undefined],
  ["1,5", undefined],
])("checkConstraint() stores numbers as all SDKs read them: %j", (value, stored) => {
  const given = { contextName: "userId", operator: "NUM_GT", value } as const;
  const check = () => checkConstraint(given, { legalValues: ANY_VALUE, path: "/body" });
  if (stored === undefined) expect(check).toThrow("/body/value must be a decimal number");
  else expect(check().value).toBe(stored);
});

test("checkConstraint() rejects strings that some SDKs cannot read", () => {
  const check = (contextName: string, value: string) => () =>
    checkConstraint(
      { contextName, operator: "IN", values: [value] },
      { legalValues: ANY_VALUE, path: "/body" },
    );
  expect(check("userId", String.raw`a\b"`)).not.toThrow();
  expect(check("userId", "a\\")).toThrow("/body/values/0 must not end with \\");
  expect(check('a"b', "a")).toThrow('/body/contextName must not contain "');
});

test("checkConstraints() accepts stored values that are no longer valid, but only with their operator", () => {
  const previous = [
    { ...STORED, operator: "IN_CIDR", values: ["foo"] },
    { ...STORED, operator: "NUM_GT", values: [], value: "0x1F" },
    { ...STORED, contextName: 'a"b', values: ["a\\"] },
  ];
  const options = { legalValuesOf: () => ANY_VALUE, path: "/body", previous };
  const check = (part: Pick<ConstraintInput, "operator" | "value" | "values">) => () =>
    checkConstraints([{ contextName: "userId", ...part }], options);
  expect(check({ operator: "IN_CIDR", values: ["10.0.0.0/8", "foo"] })).not.toThrow();
  expect(check({ operator: "NUM_GT", value: "0x1F" })).not.toThrow();
  expect(() =>
    checkConstraints([{ contextName: 'a"b', operator: "IN", values: ["a\\"] }], options),
  ).not.toThrow();
  expect(check({ operator: "IN_CIDR", values: ["bar"] })).toThrow("/body/0/values/0");
  expect(check({ operator: "NUM_LT", value: "0x1F" })).toThrow("/body/0/value");
});

test("checkConstraint() omits the empty value of a list operator", () => {
  const given = { contextName: "userId", operator: "IN", values: ["a"], value: "" } as const;
  expect(
    checkConstraint({ ...given, values: ["a"] }, { legalValues: ANY_VALUE, path: "" }),
  ).toEqual({
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
  const options = { legalValuesOf: () => ANY_VALUE, path: "/body/constraints" };
  expect(checkConstraints(list(30), options)).toHaveLength(30);
  expect(() => checkConstraints(list(31), options)).toThrow("at most 30");
  const previous = Array.from({ length: 35 }, () => ({ ...STORED, values: ["a"] }));
  expect(checkConstraints(list(35), { ...options, previous })).toHaveLength(35);
  expect(() => checkConstraints(list(36), { ...options, previous })).toThrow("at most 35");
});

test("checkConstraints() limits the total size of different patterns that are not stored", () => {
  const list = (...patterns: readonly string[]) =>
    patterns.map((value) => ({ contextName: "userId", operator: "REGEX" as const, value }));
  const large = ["a{900}", "b{900}", "c{900}", "d{900}"];
  const options = { legalValuesOf: () => ANY_VALUE, path: "/body" };
  expect(checkConstraints(list(...Array<string>(30).fill("a{900}")), options)).toHaveLength(30);
  expect(() => checkConstraints(list(...large), options)).toThrow("at most 3000 characters");
  const previous = large.map((value) => ({ ...STORED, operator: "REGEX", values: [], value }));
  expect(checkConstraints(list(...large), { ...options, previous })).toHaveLength(4);
  expect(() => checkConstraints(list(...large, "e"), { ...options, previous })).toThrow("at most");
});
