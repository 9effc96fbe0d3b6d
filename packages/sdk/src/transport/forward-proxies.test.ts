import { expect, test } from "vitest";
import { readProxies } from "./forward-proxies.ts";

test.each([
  ["", "http://a.test", false],
  ["*", "http://a.test", true],
  ["a.test", "http://a.test", true],
  ["A.TEST", "http://a.test", true],
  ["a.test", "http://b.a.test", true],
  ["a.test", "http://ba.test", false],
  [".a.test", "http://b.a.test", true],
  ["*.a.test", "http://b.a.test", true],
  ["b.test, a.test", "http://a.test", true],
  ["b.test a.test", "http://a.test", true],
  ["a.test:80", "http://a.test", true],
  ["a.test:80", "https://a.test", false],
  ["a.test:443", "https://a.test", true],
  ["a.test:8080", "http://a.test:8080", true],
  ["[::1]", "http://[::1]:4242", true],
  ["[::1]:80", "http://[::1]", true],
])("noProxy %j exempts %s: %s", (noProxy, url, isExempt) => {
  expect(readProxies({ noProxy }).isExempt(new URL(url))).toBe(isExempt);
});

test.each([
  "proxy",
  "socks5://a.test",
  "http://a.test/path",
  "http://a.test?x",
  "http://u:%zz@a.test",
])("httpProxy %j is invalid", (httpProxy) => {
  expect(() => readProxies({ httpProxy })).toThrow(/is not the URL of a proxy server/);
});
