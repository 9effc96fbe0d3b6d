import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isHeaderName, isHeaderValue, toHeaderMap, toHeaderValue } from "./header-map.ts";

describe("toHeaderValue()", () => {
  it.each([
    ["shop", "shop"],
    ["Søren's 店", "S%C3%B8ren's %E5%BA%97"],
    ["a\r\nx-evil: 1", "a%0D%0Ax-evil: 1"],
    ["\ud800", "%EF%BF%BD"],
    [" padded ", "padded"],
  ])("turns %j into %j", (text, expected) => {
    expect(toHeaderValue(text)).toBe(expected);
  });

  it("always gives a value that HTTP allows", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => isHeaderValue(toHeaderValue(text))),
    );
  });
});

describe("toHeaderMap()", () => {
  it("lower-cases names so that a later map overrides an earlier one", () => {
    expect(toHeaderMap({ Authorization: "x", "X-A": "" })).toEqual({
      authorization: "x",
      "x-a": "",
    });
  });

  it("never shows the value of a bad header", () => {
    const headers = { Authorization: "secret\nvalue" };
    expect(() => toHeaderMap(headers)).toThrow(/^Header Authorization has a value/);
    expect(() => toHeaderMap(headers)).not.toThrow(/secret/);
  });

  it("throws when a name is not a token or a value is not text", () => {
    expect(() => toHeaderMap({ "a b": "x" })).toThrow(TypeError);
    expect(() => toHeaderMap({ a: 1 })).toThrow(TypeError);
    expect(isHeaderName("")).toBe(false);
  });
});
