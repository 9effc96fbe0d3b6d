import { expect, test } from "vitest";
import { listPositions, moveAfter } from "./positions.ts";

const environmentsOf = (...orders: readonly number[]) =>
  orders.map((sortOrder, index) => ({ name: "abcdef"[index] ?? "", sortOrder }));

test("a new environment can be first, last, or between two others", () => {
  expect(listPositions(environmentsOf(100, 200))).toEqual([
    { after: undefined, sortOrder: 50 },
    { after: "a", sortOrder: 150 },
    { after: "b", sortOrder: 300 },
  ]);
  expect(listPositions([])).toEqual([{ after: undefined, sortOrder: 100 }]);
});

test("a new environment follows all environments with the same number, and no number is less than 0", () => {
  expect(listPositions(environmentsOf(0, 1, 1, 1, 2))).toEqual([
    { after: "a", sortOrder: 0 },
    { after: "d", sortOrder: 1 },
    { after: "e", sortOrder: 102 },
  ]);
});

test("a new environment can always be the last one", () => {
  const max = 2 ** 31 - 1;
  expect(listPositions(environmentsOf(max)).at(-1)).toEqual({ after: "a", sortOrder: max });
});

test.each([
  ["c", undefined, { c: 100, a: 200, b: 300 }],
  ["a", "b", { b: 100, a: 200, c: 300 }],
  ["a", "c", { b: 100, c: 200, a: 300 }],
])("moves %s after %s, whatever the numbers were", (moved, after, orders) => {
  const result = moveAfter(environmentsOf(1, 1, 1), moved, after);
  expect(Object.entries(result)).toEqual(Object.entries(orders));
});
