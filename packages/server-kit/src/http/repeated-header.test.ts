import { expect, test } from "vitest";
import { findRepeatedHeader } from "./repeated-header.ts";

test.each([
  [["Authorization", "a", "AUTHORIZATION", "b"], "authorization"],
  [["Authorization", "a", "Host", "x", "authorization", "a"], "authorization"],
  [["X-Api-Key", "a", "x-api-key", "b"], "x-api-key"],
  [["Authorization", "a", "X-Api-Key", "b"], undefined],
  [["Authorization", "authorization", "Host", "authorization"], undefined],
  [["Accept", "a", "Accept", "b"], undefined],
  [[], undefined],
])("findRepeatedHeader() in %j is %s", (rawHeaders, expected) => {
  expect(findRepeatedHeader(rawHeaders, ["authorization", "x-api-key"])).toBe(expected);
});
