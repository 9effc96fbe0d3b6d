import { expect, test } from "vitest";
import { supportsSegments } from "./client-spec.ts";

test.each([
  ["3.9.9", false],
  ["4.1.9", false],
  ["4.2.0-beta.1", false],
  ["4.2.0", true],
  ["4.2.0+build", true],
  ["4.2.1-beta.1+b", true],
  ["4.10.0", true],
  [" 5.2.0 ", true],
  ["10.0.0", true],
])("supportsSegments() for %j is %s", (version, expected) => {
  expect(supportsSegments(version)).toBe(expected);
});

test.each(["", "latest", "4", "4.2", "v4.2.0", "=4.2.0", "4.2.0.1", "4.x.0", "04.2.0"])(
  "supportsSegments() cannot tell for %j",
  (version) => {
    expect(supportsSegments(version)).toBeUndefined();
  },
);
