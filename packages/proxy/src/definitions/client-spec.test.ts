import { expect, test } from "vitest";
import { HttpError } from "../errors.ts";
import { understandsSegments } from "./client-spec.ts";

test.each([
  [undefined, false],
  ["3.9.9", false],
  ["4.1.9", false],
  ["4.2.0", true],
  ["4.10.0", true],
  ["5.0.0", true],
  [" 5.2.0 ", true],
  ["4.2.0-beta.1+b", true],
  ["10.0.0", true],
])("understandsSegments() for %j is %s", (version, expected) => {
  expect(understandsSegments(version)).toBe(expected);
});

test.each(["", "latest", "4", "4.2", "v4.2.0", "4.2.0.1", "4.x.0"])(
  "understandsSegments() refuses %j",
  (version) => {
    expect(() => understandsSegments(version)).toThrow(HttpError);
  },
);
