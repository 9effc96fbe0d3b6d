import { expect, test } from "vitest";
import { sortRows } from "./sort.ts";

const ROWS = [{ name: "b", uses: 10 }, { name: "a", uses: 9 }, { name: "c" }];
const COLUMNS = [
  { id: "name", sortBy: ({ name }: { readonly name: string }) => name },
  { id: "uses", sortBy: ({ uses }: { readonly uses?: number }) => uses ?? -1 },
  { id: "actions" },
];

test.each([
  ["name", ["a", "b", "c"]],
  ["-name", ["c", "b", "a"]],
  ["uses", ["c", "a", "b"]],
  ["-uses", ["b", "a", "c"]],
  ["", ["b", "a", "c"]],
  ["actions", ["b", "a", "c"]],
  ["no-such-column", ["b", "a", "c"]],
])("sorts by %j", (sort, names) => {
  expect(sortRows(ROWS, COLUMNS, sort).map(({ name }) => name)).toEqual(names);
});
