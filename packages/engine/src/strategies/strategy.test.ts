import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseListParameter } from "./strategy.ts";

function parse(list: unknown): readonly string[] {
  const report = (message: string): never => expect.fail(message);
  return parseListParameter({ list }, "list", report);
}

describe("parseListParameter()", () => {
  test("removes white space around the commas, as the official SDK does", () => {
    const text = fc.string({ unit: fc.constantFrom(",", " ", "\t", "\n", "\u{3000}", "a", "b") });
    fc.assert(
      fc.property(text.filter(Boolean), (list) => {
        expect(parse(list)).toEqual(list.split(/\s*,\s*/));
      }),
    );
  });

  // A regular expression takes twice as long as this limit, and would block a proxy meanwhile.
  test("splits a list with long white space", { timeout: 10_000 }, () => {
    const spaces = " ".repeat(100_000);
    expect(parse(`a${spaces}b,${spaces}c`)).toEqual([`a${spaces}b`, "c"]);
  });
});
