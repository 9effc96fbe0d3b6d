import { expect, test } from "vitest";
import { canonicalAddress } from "./canonical-address.ts";

test.each([
  ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["2001:0db8::0001", "2001:db8::1"],
  ["0:0:0:0:0:0:0:1", "::1"],
  ["::ffff:10.0.0.1", "10.0.0.1"],
  ["::FFFF:0A00:0001", "10.0.0.1"],
  ["0:0:0:0:0:ffff:192.0.2.255", "192.0.2.255"],
  ["::ffff:0:0", "0.0.0.0"],
  ["10.0.0.1", "10.0.0.1"],
  ["a.test", "a.test"],
  ["fe80::1%eth0", "fe80::1%eth0"],
  ["::1]/[", "::1]/["],
  ["1::2::3", "1::2::3"],
  ["", ""],
])("canonicalAddress(%j) is %j", (text, expected) => {
  expect(canonicalAddress(text)).toBe(expected);
});
