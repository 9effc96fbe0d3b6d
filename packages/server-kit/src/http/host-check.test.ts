import { describe, expect, test } from "vitest";
import { createHostCheck } from "./host-check.ts";

const isOwn = (
  host: string | undefined,
  options: Parameters<typeof createHostCheck>[0],
  url = "/",
): boolean => createHostCheck(options)({ headers: host === undefined ? {} : { host }, url });

const LOOPBACK = { host: "127.0.0.1" };
const PUBLIC = { publicUrl: "https://Flags.example.com:8443/path/" };

test("addresses are compared by value", () => {
  const options = { host: "127.0.0.1", allowedHosts: ["2001:DB8:0::1", "::FFFF:10.0.0.1"] };
  for (const own of ["[2001:db8::1]", "[2001:0DB8::0001]:80", "10.0.0.1", "[::ffff:a00:1]"]) {
    expect(isOwn(own, options)).toBe(true);
  }
  for (const other of ["[2001:db8::2]", "10.0.0.2"]) expect(isOwn(other, options)).toBe(false);
});

describe("a server on a loopback address", () => {
  test.each([
    "localhost",
    "LocalHost:4242",
    "localhost.",
    "localhost.:4242",
    "localhost:",
    "127.0.0.1",
    "127.0.0.1:80",
    "127.8.9.10",
    "[::1]:4242",
    "[0:0:0:0:0:0:0:1]",
  ])("accepts %s", (host) => {
    expect(isOwn(host, LOOPBACK)).toBe(true);
  });

  test.each([
    undefined,
    "",
    "evil.example",
    "localhost.evil.example",
    "evil.localhost.example:4242",
    "127.0.0.1.evil.example",
    "192.168.1.5",
    "0.0.0.0",
    "[2001:db8::1]",
    "::1",
    "[::1",
    "localhost:80:80",
    "user@localhost",
    "localhost, evil.example",
    "localhost/",
    "localhost..",
    " localhost",
    "127.1",
    "0x7f000001",
  ])("rejects %s", (host) => {
    expect(isOwn(host, LOOPBACK)).toBe(false);
  });
});

test.each([undefined, "0.0.0.0", "::", "192.168.1.5", "flags-proxy"])(
  "a server on %s accepts addresses, and only its own names",
  (host) => {
    for (const own of ["10.1.2.3:3000", "[2001:db8::1]:3000", "localhost", "0.0.0.0"]) {
      expect(isOwn(own, { host })).toBe(true);
    }
    for (const other of ["evil.example", "10.1.2.3.evil.example", "flags"]) {
      expect(isOwn(other, { host })).toBe(false);
    }
  },
);

test("the names in HOST, ALLOWED_HOSTS and PUBLIC_URL are accepted with any port", () => {
  expect(isOwn("flags-proxy:3000", { host: "Flags-Proxy" })).toBe(true);
  const listed = { ...LOOPBACK, allowedHosts: ["Metrics.internal", "192.168.1.5", "2001:db8::1"] };
  for (const host of [
    "metrics.internal",
    "METRICS.internal.:1",
    "192.168.1.5:9",
    "[2001:DB8::1]",
  ]) {
    expect(isOwn(host, listed)).toBe(true);
  }
  expect(isOwn("a.metrics.internal", listed)).toBe(false);
  expect(isOwn("flags.example.com", { ...LOOPBACK, ...PUBLIC })).toBe(true);
  expect(isOwn("[2001:db8::2]", { ...LOOPBACK, publicUrl: "http://[2001:db8::2]/" })).toBe(true);
});

test("the host of a target in absolute form replaces the header", () => {
  expect(isOwn("localhost", LOOPBACK, "http://evil.example/api/admin")).toBe(false);
  expect(isOwn("localhost", LOOPBACK, "http://localhost@evil.example/")).toBe(false);
  expect(isOwn("evil.example", LOOPBACK, "HTTP://localhost:4242/api/admin")).toBe(true);
});
