import { complete } from "flags-engine";
import { describe, expect, it } from "vitest";
import { checkNesting } from "./nesting.ts";

const check = (text: string): void => complete(checkNesting(text));
const nested = (levels: number, open = "[", close = "]"): string =>
  open.repeat(levels) + close.repeat(levels);

describe("checkNesting()", () => {
  it.each([
    ["lists", "[", "]"],
    ["objects", '{"a":', "}"],
    ["both", '[{"a":', "}]"],
  ])("allows 100 levels of %s, and no more", (_name, open, close) => {
    const perUnit = open.startsWith("[{") ? 2 : 1;
    expect(() => check(nested(100 / perUnit, open, close))).not.toThrow();
    expect(() => check(nested(100 / perUnit + 1, open, close))).toThrow(
      "Lists and objects are nested more than 100 levels deep",
    );
  });

  it("counts levels and not brackets, and nothing within strings", () => {
    expect(() => check(`[${"[],{},".repeat(1000)}1]`)).not.toThrow();
    expect(() => check(JSON.stringify([nested(200), `\\"${nested(200)}`, "\\"]))).not.toThrow();
    expect(() => check(`["\\\\",${nested(100)}]`)).toThrow("nested");
    expect(() => check(`["\\"[`.repeat(300))).not.toThrow();
  });

  it("pauses within a long text, also within many strings", () => {
    const steps = checkNesting(JSON.stringify(Array.from({ length: 100_000 }, () => "0123456789")));
    let pauses = 0;
    while (steps.next().done !== true) pauses += 1;
    expect(pauses).toBe(6);
  });
});
