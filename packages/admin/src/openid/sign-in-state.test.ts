import { expect, test } from "vitest";
import { toLocalPath } from "./sign-in-state.ts";

test.each(["/", "/projects/a", '/a?b=//c&d="e"#f', "/@evil.example", "/%2F%2Fevil.example"])(
  "toLocalPath() keeps %s",
  (path) => {
    expect(toLocalPath(path)).toBe(path);
    expect(new URL(path, "https://flags.example").host).toBe("flags.example");
  },
);

test.each([
  "",
  "a",
  "//evil.example",
  "/\\evil.example",
  "/\t/evil.example",
  "/a\n",
  "/a b",
  "https://evil.example",
  "javascript:alert(1)",
  "/é",
  undefined,
  ["/a"],
])("toLocalPath() replaces %j", (path) => {
  expect(toLocalPath(path)).toBe("/");
});
