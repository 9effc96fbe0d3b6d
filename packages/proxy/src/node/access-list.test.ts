import { expect, test } from "vitest";
import { createAccessCheck } from "./access-list.ts";

test("createAccessCheck() returns nothing without lists", () => {
  expect(createAccessCheck({ allowList: undefined, denyList: [] })).toBeUndefined();
});

const LISTS = {
  allowList: ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7", "loopback", "fe80::/10"],
  denyList: ["10.1.0.0/16", "2001:db8::bad"],
};

test.each([
  ["10.0.0.1", true],
  ["10.1.0.1", false],
  ["11.0.0.1", false],
  ["192.0.2.7", true],
  ["192.0.2.8", false],
  ["2001:db8::1", true],
  ["2001:0db8:0::1", true],
  ["2001:db8::bad", false],
  ["2001:db9::1", false],
  ["127.3.2.1", true],
  ["::1", true],
  // IPv4 in IPv6 notation, and the interface of a link-local address.
  ["::ffff:10.0.0.1", true],
  ["::ffff:a01:1", false],
  ["fe80::1%eth0", true],
  // Not known.
  [undefined, false],
  ["unknown", false],
  ["", false],
  ["10.0.0.1 ", false],
])("createAccessCheck() decides on %s: %s", (address, expected) => {
  expect(createAccessCheck(LISTS)?.(address)).toBe(expected);
});

test.each([
  ["2001:DB8::/32", "2001:db8::1", "2001:db9::1"],
  ["2001:0DB8:0::0001", "2001:db8::1", "2001:db8::2"],
  ["::FFFF:10.0.0.0/104", "10.0.0.1", "11.0.0.1"],
  ["::ffff:A00:1", "10.0.0.1", "10.0.0.2"],
  ["10.0.0.1", "::FFFF:A00:1", "::FFFF:A00:2"],
])("createAccessCheck() compares %s by value", (range, inside, outside) => {
  const isAllowed = createAccessCheck({ allowList: [range], denyList: [] });
  const isNotDenied = createAccessCheck({ allowList: undefined, denyList: [range] });
  expect([isAllowed?.(inside), isAllowed?.(outside)]).toEqual([true, false]);
  expect([isNotDenied?.(inside), isNotDenied?.(outside)]).toEqual([false, true]);
});

test("createAccessCheck() allows no address that is not known, even if only a deny list is set", () => {
  const isAllowed = createAccessCheck({ allowList: undefined, denyList: ["uniquelocal"] });
  expect(["8.8.8.8", "192.168.1.1", "fd00::1", undefined].map((each) => isAllowed?.(each))).toEqual(
    [true, false, false, false],
  );
});
