import { expect, test } from "vitest";
import { findUnstorable } from "./reject-unstorable.ts";

test.each<[string, unknown]>([
  ["/body", "a\0"],
  ["/body/a/1", { a: ["x", "\ud800"] }],
  ["/body/a", { a: { "\udfff": 1 } }],
])("findUnstorable() finds text that cannot be stored at %s", (path, value) => {
  expect(findUnstorable(value, "/body")?.path).toBe(path);
});

test("findUnstorable() finds values that are nested too deeply", () => {
  const nested = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  expect(findUnstorable(nested, "/body")?.message).toBe("is nested too deeply");
});

test.each<[unknown]>([["🚩"], [""], [5], [null], [undefined], [{ a: [{ b: "c" }] }]])(
  "findUnstorable() accepts %j",
  (value) => {
    expect(findUnstorable(value, "/body")).toBeUndefined();
  },
);
