import { describe, expect, it } from "vitest";
import { toChunks } from "./bulk-report.ts";

describe("toChunks()", () => {
  const sizesOf = (texts: readonly string[]): readonly number[] =>
    Array.from(
      toChunks(texts, (text) => text),
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
