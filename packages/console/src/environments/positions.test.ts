import { expect, test } from "vitest";
import { listPositions } from "./positions.ts";

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
