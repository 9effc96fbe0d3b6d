import { describe, expect, test } from "vitest";
import { matches } from "../_evaluate.ts";

describe("remoteAddress()", () => {
  test.each([
    ["10.0.0.1", "10.0.0.1", true],
    ["10.0.0.0/8, 192.168.0.0/16", "192.168.7.7", true],
    ["10.0.0.0/8", "11.0.0.1", false],
    ["10.0.0.0/8", "10.1.1.1/4", false],
    ["::1", "::1", true],
    ["::1", "0:0:0:0:0:0:0:1", true],
    ["2001:db8::/32", "2001:db8::1", true],
    ["2001:db8::/32", "2001:DB8:0:0:1::", true],
    ["2001:db8::/32", "2001:db9::1", false],
    ["10.0.0.0/8, 2001:db8::/32", "2001:db8::1", true],
    ["fe80::/10", "fe80::1%eth0", true],
    ["2001:db8::/32", "2001:db8::/16", false],
    ["10.0.0.0/8", "::ffff:10.1.1.1", true],
    ["10.0.0.0/8", "::FFFF:0A01:0101", true],
    ["10.0.0.0/8", "::ffff:11.1.1.1", false],
    ["::ffff:10.0.0.0/104", "10.1.1.1", true],
    ["::ffff:10.0.0.0/104", "::ffff:10.1.1.1", true],
    ["::ffff:10.0.0.0/104", "::ffff:11.1.1.1", false],
    ["::/0", "::ffff:10.1.1.1", true],
    ["::/0", "10.1.1.1", false],
    ["0.0.0.0/0", "::1", false],
    ["0.0.0.0/0", "::a01:101", false],
    ["2001:db8::/129", "2001:db8::1", false],
    ["anything", "anything", true],
    ["10.0.0.0/8,", "", true],
    ["10.0.0.0/8", undefined, false],
    [undefined, "10.0.0.1", false],
  ])("remoteAddress() with the list %j and the address %j is %j", (IPs, address, expected) => {
    const strategy = { name: "remoteAddress", parameters: { IPs } };
    expect(matches(strategy, { remoteAddress: address })).toBe(expected);
  });
});
