import fc from "fast-check";
import { expect, test } from "vitest";
import { checkVariants } from "./check-variants.ts";

const arbitraryVariant = fc.record({
  name: fc.string({ minLength: 1, maxLength: 5 }),
  weight: fc.integer({ min: 0, max: 300 }),
  weightType: fc.constantFrom("fix" as const, "variable" as const),
  stickiness: fc.constant("default"),
});

test("checkVariants() computes weights that add up to 1000 and differ by at most 1", () => {
  const arbitraryList = fc
    .uniqueArray(arbitraryVariant, { selector: ({ name }) => name, minLength: 1, maxLength: 8 })
    .filter((list) => list.some(({ weightType }) => weightType === "variable"))
    .filter((list) => sum(list.filter(({ weightType }) => weightType === "fix")) <= 1000);
  fc.assert(
    fc.property(arbitraryList, (list) => {
      const stored = checkVariants(list, "/body/variants");
      expect(sum(stored)).toBe(1000);
      const variable = stored.filter(({ weightType }) => weightType === "variable");
      const weights = variable.map(({ weight }) => weight);
      expect(Math.max(...weights) - Math.min(...weights)).toBeLessThanOrEqual(1);
      for (const { name, weight } of stored.filter(({ weightType }) => weightType === "fix")) {
        expect(list.find((variant) => variant.name === name)?.weight).toBe(weight);
      }
      const names = stored.map(({ name }) => name);
      expect(names).toEqual(names.toSorted());
    }),
  );
});

test("checkVariants() does not change its own result", () => {
  const variable = { weight: 1, weightType: "variable", stickiness: "default" } as const;
  const stored = checkVariants(
    ["c", "b", "a"].map((name) => ({ ...variable, name })),
    "/body/variants",
  );
  expect(stored.map(({ name, weight }) => [name, weight])).toEqual([
    ["a", 333],
    ["b", 333],
    ["c", 334],
  ]);
  expect(checkVariants(stored, "/body/variants")).toEqual(stored);
});

test("checkVariants() accepts an empty list", () => {
  expect(checkVariants([], "/body/variants")).toEqual([]);
});

function sum(variants: readonly { readonly weight: number }[]): number {
  return variants.reduce((total, { weight }) => total + weight, 0);
}
