import { describe, expect, it, test } from "vitest";
import { halveList, halveUsage, toChunks } from "./bulk-report.ts";

const flag = { yes: 1, no: 0 };
const usageOf = (...names: readonly string[]) => ({
  appName: "app",
  startMs: 1,
  features: Object.fromEntries(names.map((name) => [name, flag])),
});

describe("halveUsage()", () => {
  it("divides the flags of a usage, each into exactly one half", () => {
    const halves = halveUsage(usageOf("a", "__proto__", "c"));
    expect(halves?.map((half) => Object.keys(half.features))).toEqual([["a", "__proto__"], ["c"]]);
    expect(halves?.every((half) => half.appName === "app" && half.startMs === 1)).toBe(true);
  });

  it("returns undefined for a single flag", () => {
    expect(halveUsage(usageOf("a"))).toBeUndefined();
  });
});

test("halveList() makes the first half the larger one", () => {
  expect(halveList(["a", "b", "c"])).toEqual([["a", "b"], ["c"]]);
});

describe("toChunks()", () => {
  const sizesOf = (texts: readonly string[]): readonly number[] =>
    Array.from(
      toChunks(texts, (text) => [text]),
      ({ length }) => length,
    );

  it("limits a chunk to 1,000 entries", () => {
    expect(sizesOf(Array.from({ length: 2001 }, () => "1"))).toEqual([1000, 1000, 1]);
  });

  it("limits a chunk to 90 KiB, including commas", () => {
    const third = "x".repeat(30 * 1024 - '"",'.length);
    expect(sizesOf([third, third, third, third])).toEqual([3, 1]);
    expect(sizesOf([third, third, `${third}x`])).toEqual([2, 1]);
  });

  it("puts an entry that exceeds the limit into its own chunk", () => {
    expect(sizesOf(["1", "x".repeat(100 * 1024), "1"])).toEqual([1, 1, 1]);
  });
});
