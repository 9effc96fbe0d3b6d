import { expect, test } from "vitest";
import { toTypedValue, UnusablePayload } from "./value.ts";

test.each([
  ["string", "", ""],
  ["csv", "a,b", "a,b"],
  ["number", " 12 ", 12],
  ["number", "-0.5", -0.5],
  ["json", '{"a":1}', { a: 1 }],
  ["json", "[1]", "[1]"],
  ["json", "true", "true"],
  ["json", "null", "null"],
  ["of-our-own", "{", "{"],
])("toTypedValue() of the type %s reads %j as %j", (type, value, expected) => {
  expect(toTypedValue({ type, value })).toEqual(expected);
});

test.each([
  ["number", "", "number"],
  ["number", " ", "number"],
  ["number", "12a", "number"],
  ["number", "-Infinity", "number"],
  ["json", "", "JSON"],
  ["json", "{a:1}", "JSON"],
])("toTypedValue() of the type %s cannot use %j, and says so", (type, value, word) => {
  const result = toTypedValue({ type, value });
  expect(result).toBeInstanceOf(UnusablePayload);
  expect((result as UnusablePayload).details).toContain(`not the ${word} it should be`);
});
