import { expect, test } from "vitest";
import { snapshotOf } from "../_evaluate.ts";
import { PatternCache } from "./pattern-cache.ts";

test("equal patterns are compiled once", () => {
  const patterns = new PatternCache();
  const pattern = patterns.compile("a+", false);
  expect(pattern?.test("AA")).toBe(false);
  expect(patterns.compile("a+", false)).toBe(pattern);
  expect(patterns.compile("a+", true)?.test("AA")).toBe(true);
  expect(patterns.compile("(", false)).toBeUndefined();
});

const withPattern = (name: string, value: string): object => ({
  name,
  enabled: true,
  strategies: [
    { name: "default", constraints: [{ contextName: "userId", operator: "REGEX", value }] },
  ],
});

test("a snapshot uses the compiled patterns of the previous one, and keeps only its own", () => {
  const first = snapshotOf({ features: [withPattern("a", "^a"), withPattern("b", "^b")] });
  const pattern = first.origin.patterns.compile("^a", false);
  const second = snapshotOf({ features: [withPattern("c", "^a")] }, { previous: first });
  expect(second.origin.patterns.compile("^a", false)).toBe(pattern);
  expect(second.origin.patterns.compile("^b", false)).not.toBe(
    first.origin.patterns.compile("^b", false),
  );
});
