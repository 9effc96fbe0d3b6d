import { expect, test } from "vitest";
import { canonicalPath } from "./error-handler.ts";

test.each([
  ["/proxy", "/proxy"],
  ["//api///frontend//", "/api/frontend"],
  ["/proxy/?a=//b/", "/proxy"],
  ["/", "/"],
  ["//", "/"],
  ["", ""],
])("canonicalPath() of %j is %j", (url, path) => {
  expect(canonicalPath(url)).toBe(path);
});
