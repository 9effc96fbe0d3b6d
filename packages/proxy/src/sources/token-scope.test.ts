import { expect, test } from "vitest";
import { findSource, parseTokenScope } from "./token-scope.ts";

test.each([
  ["*:production.secret", { project: "*", environment: "production" }],
  ["[]:development.secret", { project: "[]", environment: "development" }],
  ["shop:test.v2_abc.def", { project: "shop", environment: "test" }],
])("parseTokenScope() reads %s", (token, scope) => {
  expect(parseTokenScope(token)).toEqual(scope);
});

test.each([
  "",
  "secret",
  "a.b",
  ":production.secret",
  "shop:.secret",
  "shop:production",
  "a b:c.d",
])("parseTokenScope() returns undefined for %j", (token) => {
  expect(parseTokenScope(token)).toBeUndefined();
});

const createSources = (...tokens: readonly string[]) =>
  tokens.map((token) => ({ token, scope: parseTokenScope(token) }));

test.each([
  ["any-key", ["*:production.a"], "*:production.a"],
  ["any-key", ["legacy"], "legacy"],
  ["*:production.key", ["legacy"], "legacy"],
  ["shop:production.key", ["*:production.a"], "*:production.a"],
  ["*:development.key", ["*:production.a"], undefined],
  ["any-key", ["*:production.a", "*:development.b"], undefined],
  ["*:development.key", ["*:production.a", "*:development.b"], "*:development.b"],
  ["*:test.key", ["*:production.a", "*:development.b"], undefined],
  ["shop:production.key", ["web:production.a", "shop:production.b"], "shop:production.b"],
  ["shop:production.key", ["web:production.a", "*:production.b"], "*:production.b"],
  ["*:production.key", ["web:production.a", "shop:production.b"], undefined],
])("the key %j with the tokens %j belongs to %j", (key, tokens, expected) => {
  expect(findSource(key, createSources(...tokens))?.token).toBe(expected);
});
