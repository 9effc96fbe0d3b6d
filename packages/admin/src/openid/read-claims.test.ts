import { expect, test } from "vitest";
import { findClaim, readName, toOneLine } from "./read-claims.ts";

test("findClaim() finds a claim by name before a path", () => {
  expect(findClaim({ "a.b": 1, a: { b: 2 } }, "a.b")).toBe(1);
  expect(findClaim({ a: { b: 2 } }, "a.b")).toBe(2);
  expect(findClaim({ "https://example.com/roles": ["x"] }, "https://example.com/roles")).toEqual([
    "x",
  ]);
  expect(findClaim({ a: "text" }, "a.length")).toBeUndefined();
  expect(findClaim({}, "__proto__.constructor")).toBeUndefined();
});

test("readName() prefers names that identify one person", () => {
  const claims = { name: "Jane", email: "jane@example.com", sub: "1" };
  expect(readName({ ...claims, preferred_username: "jane" })).toBe("jane");
  expect(readName({ ...claims, preferred_username: " " })).toBe("jane@example.com");
  expect(readName({ sub: "1", email: 7 })).toBe("1");
  expect(readName({})).toBe("unknown");
});

test("toOneLine() removes characters that logs and the database do not accept", () => {
  expect(toOneLine("a\r\nb\0c\u{202e}d\u{d800}", 100)).toBe("a b c d");
  expect(toOneLine("\u{1f600}".repeat(3), 2)).toBe("\u{1f600}\u{1f600}");
});
