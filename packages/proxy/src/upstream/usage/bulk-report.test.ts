import { describe, expect, it } from "vitest";
import { splitUsages, toChunks } from "./bulk-report.ts";

const flag = { yes: 1, no: 0 };
const usageOf = (...names: readonly string[]) => ({
  appName: "app",
  startMs: 1,
  features: Object.fromEntries(names.map((name) => [name, flag])),
});

describe("splitUsages()", () => {
  it("splits the flags of a single usage, each into exactly one half", () => {
    const halves = splitUsages([usageOf("a", "__proto__", "c")])?.flat();
    expect(halves?.map((half) => Object.keys(half.features))).toEqual([["a", "__proto__"], ["c"]]);
    expect(halves?.every((half) => half.appName === "app" && half.startMs === 1)).toBe(true);
  });

  it("splits a list of usages", () => {
    const usages = [usageOf("a"), usageOf("b"), usageOf("c")];
    expect(splitUsages(usages)).toEqual([usages.slice(0, 2), usages.slice(2)]);
  });

  it("returns undefined for a single flag", () => {
    expect(splitUsages([usageOf("a")])).toBeUndefined();
  });
});

describe("toChunks()", () => {
  const sizesOf = (texts: readonly string[]): readonly number[] =>
    toChunks(texts, (text) => text).map(({ items }) => items.length);

  it("limits a chunk to 1,000 entries", () => {
    expect(sizesOf(Array.from({ length: 2001 }, () => "1"))).toEqual([1000, 1000, 1]);
  });

  it("limits a chunk to 90 KiB, including commas", () => {
    const third = "x".repeat(30 * 1024 - 1);
    expect(sizesOf([third, third, third, third])).toEqual([3, 1]);
    expect(sizesOf([third, third, `${third}x`])).toEqual([2, 1]);
  });

  it("puts an entry that exceeds the limit into its own chunk", () => {
    expect(sizesOf(["1", "x".repeat(100 * 1024), "1"])).toEqual([1, 1, 1]);
  });
});
