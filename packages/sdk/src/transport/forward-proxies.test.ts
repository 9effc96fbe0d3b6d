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
  ["[::1]:80", "https://[::1]", false],
  ["::1", "http://[::1]", true],
  ["[2001:DB8:0::1]", "http://[2001:db8::1]", true],
  ["[2001:DB8:0::1]", "http://[2001:db8::2]", false],
  ["10.0.0.1", "http://[::ffff:10.0.0.1]", true],
  ["::FFFF:10.0.0.1", "http://10.0.0.1", true],
  ["10.0.0.0/8", "http://10.1.2.3", true],
  ["10.0.0.0/8", "http://11.1.2.3", false],
  ["10.0.0.0/8", "http://a.test", false],
  ["2001:db8::/32", "http://[2001:db8::1]:4242", true],
  ["10.0.0.0/33", "http://10.0.0.0", false],
])("noProxy %j exempts %s: %s", (noProxy, url, isExempt) => {
  const proxies = { httpProxy: "http://proxy.test", httpsProxy: "http://proxy.test" };
  expect(readProxies({ ...proxies, noProxy }).find(new URL(url)) === undefined).toBe(isExempt);
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
