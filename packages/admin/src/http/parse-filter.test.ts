import { expect, test } from "vitest";
import { parseFilter, parsePage } from "./parse-filter.ts";

test.each([
  [undefined, undefined],
  ["IS:a", ["a"]],
  ["IS: a,b ", ["a,b"]],
  ["IS_ANY_OF:a, b", ["a", "b"]],
  ["IS:", [""]],
])("parseFilter(%j) returns %j", (text, values) => {
  expect(parseFilter(text, "project")).toEqual(values);
});

test.each(["a", "", "is:a", "IS_NOT:a"])("parseFilter() rejects %j", (text) => {
  expect(() => parseFilter(text, "project")).toThrow("/query/project must have the form IS:value");
});

test.each([
  [{}, { offset: 0, limit: 50 }],
  [
    { offset: "3", limit: "7" },
    { offset: 3, limit: 7 },
  ],
  [{ limit: "0" }, { offset: 0, limit: 50 }],
  [{ limit: "101" }, { offset: 0, limit: 50 }],
  [
    { offset: "-1", limit: "1e2" },
    { offset: 0, limit: 50 },
  ],
])("parsePage(%j) returns %j", (query, page) => {
  expect(parsePage(query, { defaultLimit: 50, maxLimit: 100 })).toEqual(page);
});
