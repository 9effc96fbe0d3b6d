import * as fc from "fast-check";
import { complete } from "flags-engine";
import { describe, expect, it } from "vitest";
import { JsonReader } from "./json-reader.ts";

/** Cuts wherever that is possible. */
const readInPieces = (text: string): unknown => complete(new JsonReader(0).read(text));

/** What comes of parsing; the order of members counts. */
function outcomeOf(parse: (text: string) => unknown, text: string): unknown {
  try {
    const value = parse(text);
    return { value, text: JSON.stringify(value) };
  } catch (error) {
    return { error };
  }
}

function expectTheSame(text: string): void {
  expect(outcomeOf(readInPieces, text)).toEqual(outcomeOf(JSON.parse, text));
}

/** Texts that are full of what the marks of lists are made of. */
const name = fc.oneof(fc.constantFrom("features", "__proto__", "1"), fc.string());
const MARKS = ["[", "]", "{", "}", ",", ":", "\\", '"', "0", " "];
const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...MARKS, "é", "\n") }));
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
  it("read() gives what JSON.parse gives", () => {
    fc.assert(fc.property(anyText, expectTheSame), { numRuns: 200 });
  });

  it("read() gives what JSON.parse gives, or throws what it throws, for text that was damaged", () => {
    const damage = fc.record({
      place: fc.nat(),
      length: fc.nat(2),
      inserted: fc.string({ unit: fc.constantFrom(...MARKS), maxLength: 2 }),
    });
    const damaged = fc.tuple(anyText, damage).map(([text, { place, length, inserted }]) => {
      const start = place % (text.length + 1);
      return text.slice(0, start) + inserted + text.slice(start + length);
    });
    fc.assert(fc.property(damaged, expectTheSame), { numRuns: 1000 });
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
  ])("read() does what JSON.parse does with %s", expectTheSame);

  it("read() pauses within a long list", () => {
    const text = JSON.stringify({
      features: Array.from({ length: 9000 }, (_, index) => ({ index })),
    });
    const steps = new JsonReader(text.length - 1).read(text);
    let pauses = 0;
    while (steps.next().done !== true) pauses += 1;
    expect(pauses).toBe(9000);
  });

  it("read() takes a short document in one step", () => {
    const text = `{"features":[1,2]}`;
    const { done, value } = new JsonReader(text.length).read(text).next();
    expect([done, value]).toEqual([true, { features: [1, 2] }]);
  });

  it("read() gives the same objects for what was in the document before", () => {
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

  it("read() gives what JSON.parse gives, whatever it read before", () => {
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
