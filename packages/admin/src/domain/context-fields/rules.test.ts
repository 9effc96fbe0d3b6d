import { expect, test } from "vitest";
import { checkLegalValues, withLegalValue, withoutLegalValue } from "./rules.ts";

test("checkLegalValues() refuses a value that is there twice, saying where", () => {
  expect(() => checkLegalValues([{ value: "a" }, { value: "b" }])).not.toThrow();
  expect(() => checkLegalValues([{ value: "a" }, { value: "b" }, { value: "a" }])).toThrow(
    '/body/legalValues/2/value is there twice: "a"',
  );
});

test("withLegalValue() replaces a value in its place, and adds a new one at the end", () => {
  const values = [{ value: "a", description: "d" }, { value: "b" }];
  expect(withLegalValue(values, { value: "a" })).toEqual([{ value: "a" }, { value: "b" }]);
  expect(withLegalValue(values, { value: "c" })).toEqual([...values, { value: "c" }]);
});

test("withoutLegalValue() takes a value away, if it is there", () => {
  expect(withoutLegalValue([{ value: "a" }, { value: "b" }], "a")).toEqual([{ value: "b" }]);
  expect(withoutLegalValue([{ value: "a" }], "z")).toEqual([{ value: "a" }]);
});
