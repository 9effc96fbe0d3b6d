import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuzzRuns } from "../../../../scripts/test-size.ts";
import { createJsonLocator, findJsonError, findRepeatedName } from "./json-positions.ts";

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe("findJsonError()", () => {
  it.each([
    ['{"a": [1, 2, ]}', 13],
    ['{"a": 1,}', 8],
    ["{a: 1}", 1],
    ['{"a" 1}', 5],
    ['{"a": tru}', 6],
    ['{"a": 01}', 7],
    ['{"a": 1}\n}', 9],
    ['{"a": "x', 8],
    ['"line\nbreak"', 5],
    [String.raw`"\x"`, 1],
    ["", 0],
    ["[".repeat(1000), 1000],
  ])("findJsonError() finds the first invalid character of %j", (text, offset) => {
    expect(findJsonError(text)).toBe(offset);
  });

  it("findJsonError() finds an error if and only if JSON.parse does", () => {
    const edited = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), fc.string({ maxLength: 2 }))
      .map(([json, at, removed, inserted]) => {
        const start = at % (json.length + 1);
        return json.slice(0, start) + inserted + json.slice(start + removed);
      });
    fc.assert(
      fc.property(fc.oneof(edited, fc.json(), fc.string()), (text) => {
        expect(findJsonError(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: fuzzRuns(200, 500) },
    );
  });
});

it("createJsonLocator() returns the offset of a value", () => {
  const find = createJsonLocator('{"a": [1, {"b\\n": true}], "c": 2}');
  expect(find([])).toBe(0);
  expect(find(["a", 1, "b\n"])).toBe(18);
  expect(find(["c"])).toBe(31);
  expect(find(["a", 2])).toBeUndefined();
});

it("findRepeatedName() returns the offset of the first value with a repeated name", () => {
  expect(findRepeatedName('[{"a": {"a": 1}}, {"a": [2, 2]}]')).toBeUndefined();
  expect(findRepeatedName('{"a": {"b": 1, "b": 2}, "a": 3}')).toBe(20);
  expect(findRepeatedName('[{"a": 1, "b": {}, "\\u0061": 2}]')).toBe(29);
});
