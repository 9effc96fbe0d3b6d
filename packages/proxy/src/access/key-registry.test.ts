import type { FlagSource } from "flags-sdk";
import { expect, test } from "vitest";
import { KeyRegistry } from "./key-registry.ts";

// Identity is all that a ring knows of a source.
const [one, two] = [{}, {}] as [FlagSource, FlagSource];
const ring = new KeyRegistry([
  { key: "a", kind: "client", source: one },
  { key: "b", kind: "server", source: one },
  { key: "c", kind: "client", source: two },
  { key: "b", kind: "client", source: two },
]);

test("find() tells keys of several sources apart", () => {
  expect(ring.find("a", ["client"])).toEqual({ key: "a", kind: "client", source: one });
  expect(ring.find("c", ["client"])?.source).toBe(two);
  expect(ring.sources).toEqual([one, two]);
});

test("find() looks among keys of the kinds asked for, even when one key is of both", () => {
  expect(ring.find("a", ["server"])).toBeUndefined();
  expect(ring.find("a", ["client", "server"])?.kind).toBe("client");
  expect(ring.find("b", ["server"])?.source).toBe(one);
  expect(ring.find("b", ["client"])?.source).toBe(two);
});

test.each(["", "A", "aa", "a ", "\u0000", "é".repeat(10_000)])(
  "find() knows nothing of %j",
  (key) => {
    expect(ring.find(key, ["client", "server"])).toBeUndefined();
  },
);
