import { expect, test } from "vitest";
import { addValues, moveValue, parsePastedValues, sortValues } from "./legal-values.ts";

test("a pasted list has one value per line and an optional description in the second column", () => {
  expect(parsePastedValues("DE\tGermany\r\n\n  AT \nDE\tagain\nCH\t\n")).toEqual({
    values: [{ value: "DE", description: "Germany" }, { value: "AT" }, { value: "CH" }],
    problems: [],
  });
});

test("values and descriptions that are too long are reported with their line", () => {
  const text = `ok\n${"x".repeat(101)}\nb\t${"y".repeat(251)}`;
  expect(parsePastedValues(text)).toEqual({
    values: [{ value: "ok" }],
    problems: [
      "Line 2: a value can have at most 100 characters",
      "Line 3: a description can have at most 250 characters",
    ],
  });
});

test("adding a known value replaces its description but keeps its position", () => {
  const values = [{ value: "a", description: "old" }, { value: "b" }];
  expect(addValues(values, [{ value: "a", description: "new" }, { value: "c" }])).toEqual([
    { value: "a", description: "new" },
    { value: "b" },
    { value: "c" },
  ]);
  expect(addValues(values, [{ value: "a" }])).toEqual(values);
});

test("a value moves by one position, but not beyond the ends", () => {
  const values = [{ value: "a" }, { value: "b" }, { value: "c" }];
  expect(moveValue(values, 0, 1).map(({ value }) => value)).toEqual(["b", "a", "c"]);
  expect(moveValue(values, 2, -1).map(({ value }) => value)).toEqual(["a", "c", "b"]);
  expect(moveValue(values, 0, -1)).toEqual(values);
  expect(moveValue(values, 2, 1)).toEqual(values);
});

test("numeric values are sorted by size", () => {
  const values = ["v10", "b", "v9", "a"].map((value) => ({ value }));
  expect(sortValues(values).map(({ value }) => value)).toEqual(["a", "b", "v9", "v10"]);
});
