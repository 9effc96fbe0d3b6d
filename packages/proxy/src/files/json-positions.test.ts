import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describePosition, JsonPositions } from "./json-positions.ts";

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe("findError()", () => {
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
    ["[".repeat(1000), 501],
  ])("finds the first character of %j that is not valid", (text, offset) => {
    expect(new JsonPositions(text).findError()).toBe(offset);
  });

  it("finds an error exactly if JSON.parse does", () => {
    const edited = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), fc.string({ maxLength: 2 }))
      .map(([json, at, removed, inserted]) => {
        const start = at % (json.length + 1);
        return json.slice(0, start) + inserted + json.slice(start + removed);
      });
    fc.assert(
      fc.property(fc.oneof(edited, fc.json(), fc.string()), (text) => {
        expect(new JsonPositions(text).findError() === undefined).toBe(isJson(text));
      }),
      { numRuns: Number(process.env["FUZZ_RUNS"] ?? 500) },
    );
  });
});

it("find() returns the offset of a value", () => {
  const positions = new JsonPositions('{"a": [1, {"b\\n": true}], "c": 2}');
  expect(positions.find([])).toBe(0);
  expect(positions.find(["a", 1, "b\n"])).toBe(18);
  expect(positions.find(["c"])).toBe(31);
  expect(positions.find(["a", 2])).toBeUndefined();
});

it("describePosition() counts lines and columns from 1", () => {
  expect(describePosition("ab\ncd", 0)).toBe("line 1, column 1");
  expect(describePosition("ab\ncd", 4)).toBe("line 2, column 2");
});
