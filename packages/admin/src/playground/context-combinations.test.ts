import { expect, test } from "vitest";
import { combineValues } from "./context-combinations.ts";
import type { Context } from "./schemas.ts";

function combine(context: object) {
  const { count, at } = combineValues(context);
  return Array.from({ length: count }, (_, index) => at(index));
}

test("combines the values of fields and properties, the last one first", () => {
  expect(combine({ userId: "1, 2", plan: 3, properties: { country: "DK,SE" } })).toEqual([
    { userId: "1", plan: 3, properties: { country: "DK" } },
    { userId: "1", plan: 3, properties: { country: "SE" } },
    { userId: "2", plan: 3, properties: { country: "DK" } },
    { userId: "2", plan: 3, properties: { country: "SE" } },
  ]);
});

test("a context without commas is its only combination", () => {
  expect(combine({})).toEqual([{}]);
  expect(combine({ userId: "1", properties: {} })).toEqual([{ userId: "1", properties: {} }]);
});

test("counts combinations without creating them", () => {
  const values = ",".repeat(9999);
  const { count, at } = combineValues({
    a: values,
    b: values,
    c: values,
    d: `${values}x`,
  } as Context);
  expect(count).toBe(1e16);
  expect(at(9999)).toEqual({ a: "", b: "", c: "", d: "x" });
});
