import * as fc from "fast-check";
import { complete } from "flags-engine";
import { describe, expect, it } from "vitest";
import { parseJsonInSteps } from "./parse-json-in-steps.ts";

/** Cuts wherever that is possible. */
const parseInPieces = (text: string): unknown => complete(parseJsonInSteps(text, 0));

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
  expect(outcomeOf(parseInPieces, text)).toEqual(outcomeOf(JSON.parse, text));
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

describe("parseJsonInSteps()", () => {
  it("gives what JSON.parse gives", () => {
    fc.assert(fc.property(anyText, expectTheSame), { numRuns: 200 });
  });

  it("gives what JSON.parse gives, or throws what it throws, for text that was damaged", () => {
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
  ])("does what JSON.parse does with %s", expectTheSame);

  it("pauses within a long list", () => {
    const text = JSON.stringify({
      features: Array.from({ length: 9000 }, (_, index) => ({ index })),
    });
    const steps = parseJsonInSteps(text);
    let pauses = 0;
    while (steps.next().done !== true) pauses += 1;
    expect(pauses).toBeGreaterThan(3);
  });
});
