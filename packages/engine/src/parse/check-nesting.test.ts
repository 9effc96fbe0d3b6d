import { describe, expect, it } from "vitest";
import { runToEnd } from "../steps.ts";
import { checkNesting } from "./check-nesting.ts";

describe("checkNesting()", () => {
  const check = (text: string): void => runToEnd(checkNesting(text));
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

  it("limits the number of lists and objects", () => {
    expect(() => runToEnd(checkNesting('[{},"[{",{}]', 3))).not.toThrow();
    expect(() => runToEnd(checkNesting("[{},[],{}]", 3))).toThrow(
      "There are more than 3 lists and objects",
    );
  });

  it("pauses within a long document, even if it consists of strings", () => {
    const steps = checkNesting(JSON.stringify(Array.from({ length: 100_000 }, () => "0123456789")));
    let pauses = 0;
    while (steps.next().done !== true) pauses += 1;
    expect(pauses).toBe(6);
  });
});
