import { expect, test } from "vitest";
import { findWeakSecrets, isPublishedExample, secretPartOf } from "./weak-secrets.ts";
import { isLoopbackHost, isSecureUrl } from "./loopback.ts";

test.each([
  ["*:*.abc", "abc"],
  ["shop:production.a.b", "a.b"],
  ["[]:development.abc", "abc"],
  ["*:development.v2_a_b", "v2_a_b"],
  ["a-key", "a-key"],
  ["a.b", "a.b"],
  ["*:*.", ""],
])("secretPartOf(%j) is %j", (token, secret) => {
  expect(secretPartOf(token)).toBe(secret);
});

test.each([
  ["*:*.unleash-insecure-admin-api-token", true],
  ["default:development.unleash-insecure-api-token", true],
  ["proxy-secret", true],
  ["*:*.example-admin-token-change-me", true],
  ["*:production.example-backend-token", true],
  ["default:development.example-backend-token-change-me", true],
  ["default:development.example-client-token-change-me", true],
  ["default:development.a-token-for-the-proxy", true],
  ["token-of-the-shop", true],
  ["my-proxy-secret", false],
  ["*:*.5ac1b37af9e0d8461c20", false],
])("isPublishedExample(%j) is %j", (token, isPublished) => {
  expect(isPublishedExample(token)).toBe(isPublished);
});

test.each([
  ["127.0.0.1", true],
  ["127.1.2.3", true],
  ["::1", true],
  ["localhost", true],
  [undefined, false],
  ["0.0.0.0", false],
  ["::", false],
  ["10.0.0.1", false],
  ["localhost.example.com", false],
  ["flags.internal", false],
])("isLoopbackHost(%j) is %j", (host, isLoopback) => {
  expect(isLoopbackHost(host)).toBe(isLoopback);
});

test.each([
  ["https://flags.example.com", true],
  ["http://localhost:8080", true],
  ["http://127.1.2.3", true],
  ["http://[::1]:8080", true],
  ["http://flags.example.com", false],
  ["http://127.0.0.1.example.com", false],
  ["ftp://localhost", false],
])("isSecureUrl(%j) is %j", (url, isSecure) => {
  expect(isSecureUrl(new URL(url))).toBe(isSecure);
});

test("findWeakSecrets() names the entry and the minimum length, but not the secret", () => {
  const warnings = findWeakSecrets("KEYS", ["long-enough-key", "short", "p:e.tiny"], {
    minLength: 12,
    isLoopback: true,
  });
  expect(warnings).toEqual([
    expect.stringMatching(/^KEYS: entry 2 is easy to guess, .* fewer than 12 characters/),
    expect.stringMatching(
      /^KEYS: entry 3 is easy to guess, .* fewer than 12 characters follow the dot/,
    ),
  ]);
  expect(warnings.join()).not.toMatch(/short|tiny/);
});

test("findWeakSecrets() warns about published examples unless only this machine can connect", () => {
  const find = (isLoopback: boolean) =>
    findWeakSecrets("TOKEN", "*:*.unleash-insecure-api-token", { minLength: 16, isLoopback });
  expect(find(true)).toEqual([]);
  expect(find(false)).toEqual([
    expect.stringMatching(/^TOKEN is an example from public documentation/),
  ]);
});
