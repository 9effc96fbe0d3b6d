import { expect, test } from "vitest";
import { secretsInHeader, secretsInHeaders } from "./proxy-setting-kinds.ts";

test.each([
  ["Bearer abcd", ["Bearer abcd", "abcd"]],
  ["abcd", ["abcd", "abcd"]],
  // A value that is part of many addresses and messages.
  ["1", []],
  ["Basic 1", ["Basic 1"]],
])("secretsInHeader() returns the texts of %j that logs must not contain", (value, texts) => {
  expect(secretsInHeader(value)).toEqual(texts);
});

test("secretsInHeaders() returns those of several headers", () => {
  expect(secretsInHeaders({ "X-Tenant": "1", "X-Key": "abcd" })).toEqual(["abcd", "abcd"]);
});
