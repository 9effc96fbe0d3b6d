import { expect, test } from "vitest";
import { sortByType } from "./sort-by-type.ts";

test("sortByType() ends with production, and keeps the order within a type", () => {
  const environments = [
    ["eu", "production", 1],
    ["us", "production", 0],
    ["demo", "sandbox", 0],
    ["staging", "preproduction", 0],
    ["b", "development", 3],
    ["a", "development", 3],
    ["ci", "test", 9],
  ] as const;
  const sorted = sortByType(
    environments.map(([name, type, sortOrder]) => ({ name, type, sortOrder })),
  );
  expect(sorted.map(({ name }) => name)).toEqual(["a", "b", "ci", "staging", "demo", "us", "eu"]);
});
