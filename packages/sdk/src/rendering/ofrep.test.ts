import { expect, test } from "vitest";
import { InvalidPayload, toTypedValue } from "./ofrep.ts";

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
])("toTypedValue() of the type %s converts %j to %j", (type, value, expected) => {
  expect(toTypedValue({ type, value })).toEqual(expected);
});

test.each([
  ["number", "", "valid number"],
  ["number", " ", "valid number"],
  ["number", "12a", "valid number"],
  ["number", "-Infinity", "valid number"],
  ["json", "", "valid JSON"],
  ["json", "{a:1}", "valid JSON"],
])("toTypedValue() of the type %s rejects %j: it is not a %s", (type, value, expected) => {
  const result = toTypedValue({ type, value });
  expect(result).toBeInstanceOf(InvalidPayload);
  expect((result as InvalidPayload).details).toContain(expected);
});

test("toTypedValue() rejects JSON with so many levels that it could not be written again", () => {
  const levels = 20_000;
  const value = `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  const result = toTypedValue({ type: "json", value });
  expect((result as InvalidPayload).details).toContain("at most 100 levels");
});
