import * as fc from "fast-check";
import { complete } from "flags-engine";
import { describe, expect, it } from "vitest";
import { checkNesting, JsonReader } from "./json-reader.ts";

/** Parses element by element, even short documents. */
const readElements = (text: string): unknown => complete(new JsonReader(0).read(text));

/** The result or error of parsing; includes the order of members. */
function outcomeOf(parse: (text: string) => unknown, text: string): unknown {
  try {
    const value = parse(text);
    return { value, text: JSON.stringify(value) };
  } catch (error) {
    return { error };
  }
}

function expectSameAsJsonParse(text: string): void {
  expect(outcomeOf(readElements, text)).toEqual(outcomeOf(JSON.parse, text));
}

/** Texts with many of the characters that delimit list elements. */
const name = fc.oneof(fc.constantFrom("features", "__proto__", "1"), fc.string());
const DELIMITERS = ["[", "]", "{", "}", ",", ":", "\\", '"', "0", " "];
const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...DELIMITERS, "é", "\n") }));
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, fc.integer(), text, tie("list"), tie("object")),
  list: fc.array(tie("value")),
  object: fc.dictionary(name, tie("value")),
}));
const anyDocument = fc.dictionary(name, fc.oneof(fc.array(anyValue), anyValue));
const anyText = fc
  .tuple(
    fc.oneof({ weight: 9, arbitrary: anyDocument }, anyValue),
    fc.constantFrom("", " ", "\n\t"),
  )
  .map(([value, space]) => JSON.stringify(value, undefined, space));

describe("JsonReader", () => {
  it("read() returns the same as JSON.parse", () => {
    fc.assert(fc.property(anyText, expectSameAsJsonParse), { numRuns: 200 });
  });

  it("read() returns or throws the same as JSON.parse for a damaged text", () => {
    const damage = fc.record({
      place: fc.nat(),
      length: fc.nat(2),
      inserted: fc.string({ unit: fc.constantFrom(...DELIMITERS), maxLength: 2 }),
    });
    const damaged = fc.tuple(anyText, damage).map(([text, { place, length, inserted }]) => {
      const start = place % (text.length + 1);
      return text.slice(0, start) + inserted + text.slice(start + length);
    });
    fc.assert(fc.property(damaged, expectSameAsJsonParse), { numRuns: 1000 });
  });

  it.each([
    '{"features":[1,2],"features":[3]}',
    '{"features":[1],"features":7,"a":[]}',
    '{"__proto__":[{"__proto__":[1]}]}',
    '{"a":["]","\\"],[",{"b":"\\\\"},[1,[2]]]}',
    '{"features":[1,]}',
    '{"features":[,1]}',
    '{"features":[ ],"b":[\n]}',
    '{"features":[1}}',
    '{"features":{1]}',
    '{"features":[1],}',
    '{"features":[1]]',
    '{"features":["a]}',
    '{"features":[1 2]}',
    '{"features":[0],"b":[0]} {}',
    '\ufeff{"features":[1]}',
    "[[1,2],[3]]",
    "{}",
    "",
  ])("read() behaves like JSON.parse for %s", expectSameAsJsonParse);

  it("read() pauses after each element of a long list", () => {
    const text = JSON.stringify({
      features: Array.from({ length: 9000 }, (_, index) => ({ index })),
    });
    const steps = new JsonReader(text.length - 1).read(text);
    let pauses = 0;
    while (steps.next().done !== true) pauses += 1;
    expect(pauses).toBe(9000);
  });

  it("read() parses a short document in one step", () => {
    const text = `{"features":[1,2]}`;
    const { done, value } = new JsonReader(text.length).read(text).next();
    expect([done, value]).toEqual([true, { features: [1, 2] }]);
  });

  it("read() returns the same objects for elements of the previous document", () => {
    const reader = new JsonReader(0);
    const read = (document: object): { readonly features: readonly unknown[] } =>
      complete(reader.read(JSON.stringify(document))) as never;
    const a = { name: "a", enabled: true };
    const before = read({ features: [a, { name: "b" }, 0] }).features;

    const after = read({ version: 2, features: [{ name: "c" }, a], more: [a] });
    expect(after).toEqual({ version: 2, features: [{ name: "c" }, a], more: [a] });
    expect(after.features[1]).toBe(before[0]);

    const last = read({ features: [{ name: "b" }, { name: "c" }] }).features;
    expect(last[0]).not.toBe(before[1]);
    expect(last[1]).toBe(after.features[0]);
  });

  it("read() returns the same as JSON.parse after any other document", () => {
    const reader = new JsonReader(0);
    const read = (text: string): unknown => complete(reader.read(text));
    fc.assert(
      fc.property(anyText, (text) => {
        expect(outcomeOf(read, text)).toEqual(outcomeOf(JSON.parse, text));
      }),
      { numRuns: 200 },
    );
  });
});

describe("checkNesting()", () => {
  const check = (text: string): void => complete(checkNesting(text));
  const nested = (levels: number, open = "[", close = "]"): string =>
    open.repeat(levels) + close.repeat(levels);

  it.each([
    ["lists", "[", "]"],
    ["objects", '{"a":', "}"],
    ["both", '[{"a":', "}]"],
  ])("allows 100 levels of %s, but not 101", (_name, open, close) => {
    const perUnit = open.startsWith("[{") ? 2 : 1;
    expect(() => check(nested(100 / perUnit, open, close))).not.toThrow();
    expect(() => check(nested(100 / perUnit + 1, open, close))).toThrow(
      "Lists and objects are nested more than 100 levels deep",
    );
  });

  it("counts levels instead of brackets, and ignores strings", () => {
    expect(() => check(`[${"[],{},".repeat(1000)}1]`)).not.toThrow();
    expect(() => check(JSON.stringify([nested(200), `\\"${nested(200)}`, "\\"]))).not.toThrow();
    expect(() => check(`["\\\\",${nested(100)}]`)).toThrow("nested");
    expect(() => check(`["\\"[`.repeat(300))).not.toThrow();
  });

  it("pauses within a long text, even if it consists of strings", () => {
    const steps = checkNesting(JSON.stringify(Array.from({ length: 100_000 }, () => "0123456789")));
    let pauses = 0;
    while (steps.next().done !== true) pauses += 1;
    expect(pauses).toBe(6);
  });
});
