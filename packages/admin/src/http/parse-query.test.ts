import { expect, test } from "vitest";
import { parseQuery } from "./parse-query.ts";

test.each([
  ["", {}],
  ["a=1&b=x%20y+z", { a: "1", b: "x y z" }],
  ["a=1&a=2", { a: ["1", "2"] }],
  ["a[]=1", { a: ["1"] }],
  ["a%5B%5D=1&a[]=2&a=3", { a: ["3", "1", "2"] }],
  ["b=%zz&__proto__[]=1", { b: "%zz", ["__proto__"]: ["1"] }],
])("parseQuery() of %s", (text, expected) => {
  expect(Object.entries(parseQuery(text))).toEqual(Object.entries(expected));
});

test("parseQuery() keeps every parameter", () => {
  const text = Array.from({ length: 2000 }, (_, index) => `p${index}=1`).join("&");
  expect(Object.keys(parseQuery(text))).toHaveLength(2000);
});
