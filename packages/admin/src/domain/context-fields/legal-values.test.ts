import { expect, test } from "vitest";
import { checkLegalValues, withLegalValue, withoutLegalValue } from "./legal-values.ts";

test("checkLegalValues() rejects a duplicate value and names its path", () => {
  expect(() => checkLegalValues([{ value: "a" }, { value: "b" }])).not.toThrow();
  expect(() => checkLegalValues([{ value: "a" }, { value: "b" }, { value: "a" }])).toThrow(
    '/body/legalValues/2/value is a duplicate: "a"',
  );
});

test("withLegalValue() replaces an existing value in its position and appends a new one", () => {
  const values = [{ value: "a", description: "d" }, { value: "b" }];
  expect(withLegalValue(values, { value: "a" })).toEqual([{ value: "a" }, { value: "b" }]);
  expect(withLegalValue(values, { value: "c" })).toEqual([...values, { value: "c" }]);
});

test("withoutLegalValue() removes a value if it exists", () => {
  expect(withoutLegalValue([{ value: "a" }, { value: "b" }], "a")).toEqual([{ value: "b" }]);
  expect(withoutLegalValue([{ value: "a" }], "z")).toEqual([{ value: "a" }]);
});
