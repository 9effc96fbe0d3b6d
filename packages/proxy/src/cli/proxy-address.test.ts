import { expect, test } from "vitest";
import { removeClientPath } from "./proxy-address.ts";

test.each([
  ["http://a", "http://a"],
  ["http://a:3000/", "http://a:3000"],
  ["http://a/proxy", "http://a"],
  ["https://a/base/proxy//", "https://a/base"],
  ["http://a/api/frontend", "http://a"],
  // With the base path /api.
  ["http://a/api/proxy", "http://a/api"],
  ["http://proxy", "http://proxy"],
  ["http://proxy/proxy", "http://proxy"],
  // With the base path /proxy.
  ["http://a/proxy/proxy", "http://a/proxy"],
  ["http://a/myproxy", "http://a/myproxy"],
  ["a/proxy", "a/proxy"],
])("removeClientPath(%j) returns %j", (address, expected) => {
  expect(removeClientPath(address)).toBe(expected);
});
