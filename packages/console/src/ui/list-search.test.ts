import { expect, test } from "vitest";
import { listSearch, readListSearch, toListSearch } from "./list-search.ts";

const FIELDS = { query: "", state: ["all", "active", "stale"], sort: "" } as const;

test("reads the state of a list", () => {
  const search = { query: "pay", state: "stale", sort: "-createdAt" };
  expect(readListSearch(FIELDS, search)).toEqual(search);
});

test("reads a search for digits, which the router parses", () => {
  expect(readListSearch(FIELDS, { query: 2026 }).query).toBe("2026");
});

test.each([{}, { query: ["a"], state: "gone", sort: null }, { query: {}, state: 1, sort: true }])(
  "ignores what is not valid in %j",
  (search) => {
    expect(readListSearch(FIELDS, search)).toEqual({ query: "", state: "all", sort: "" });
    expect(listSearch(FIELDS)(search)).toEqual({});
  },
);

test("leaves defaults and unknown parameters out of the address", () => {
  expect(listSearch(FIELDS)({ query: "a", state: "all", other: "b" })).toEqual({ query: "a" });
});

test("removes what is a default again", () => {
  const search = toListSearch(FIELDS, { query: "", state: "active" });
  expect(search).toEqual({ query: undefined, state: "active", sort: undefined });
});
