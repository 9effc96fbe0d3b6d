import type { FlagSource } from "flags-sdk";
import { expect, test } from "vitest";
import { digestKey } from "./grant.ts";
import { KeyRegistry } from "./key-registry.ts";

// The registry compares sources only by identity.
const [one, two] = [{}, {}] as [FlagSource, FlagSource];
const registry = new KeyRegistry([
  { key: digestKey("a"), kind: "client", source: one },
  { key: digestKey("b"), kind: "server", source: one },
  { key: digestKey("c"), kind: "client", source: two },
  { key: digestKey("b"), kind: "client", source: two },
]);

test("find() distinguishes keys of several sources", () => {
  expect(registry.find("a", ["client"])).toEqual({
    key: digestKey("a"),
    kind: "client",
    source: one,
  });
  expect(registry.find("c", ["client"])?.source).toBe(two);
});

test("find() returns only grants of the given kinds, even when one key has both kinds", () => {
  expect(registry.find("a", ["server"])).toBeUndefined();
  expect(registry.find("a", ["client", "server"])?.kind).toBe("client");
  expect(registry.find("b", ["server"])?.source).toBe(one);
  expect(registry.find("b", ["client"])?.source).toBe(two);
});

test.each(["", "A", "aa", "a ", "\u0000", "é".repeat(10_000)])(
  "find() returns undefined for the unknown key %j",
  (key) => {
    expect(registry.find(key, ["client", "server"])).toBeUndefined();
  },
);
