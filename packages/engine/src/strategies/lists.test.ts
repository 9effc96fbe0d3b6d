import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { evaluateFlag, matches } from "../../test/_evaluate.ts";
import { parseListParameter } from "./lists.ts";

describe("userWithId()", () => {
  test.each([
    ["123", "123", true],
    ["122, 123 ,\t124", "123", true],
    ["122,123", "12", false],
    ["a,,b", "", true],
    ["", "", false],
    [undefined, "123", false],
    [" a , b ", "a", false],
    [" a , b ", " a", true],
    ["123", 123, false],
    ["123", undefined, false],
    [123, "123", false],
  ])("userWithId() with the list %j and the user %j is %j", (userIds, userId, expected) => {
    expect(matches({ name: "userWithId", parameters: { userIds } }, { userId })).toBe(expected);
  });
});

describe("applicationHostname()", () => {
  test.each([
    ["web-1,web-2", true],
    ["WEB-2", true],
    ["web-1", false],
    ["", false],
    [undefined, false],
  ])(
    "applicationHostname() with the list %j on the host Web-2 is %j for every context",
    (hostNames, expected) => {
      const strategies = [{ name: "applicationHostname", parameters: { hostNames } }];
      const outcome = evaluateFlag({ strategies }, { hostname: "web-1" }, { hostname: "Web-2" });
      expect(outcome.enabled).toBe(expected);
    },
  );
});

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

function parse(list: unknown): readonly string[] {
  const report = (message: string): never => expect.fail(message);
  return parseListParameter({ list }, "list", report);
}

describe("parseListParameter()", () => {
  test("removes white space around the commas, as the official SDK does", () => {
    const text = fc.string({ unit: fc.constantFrom(",", " ", "\t", "\n", "\u{3000}", "a", "b") });
    fc.assert(
      fc.property(text.filter(Boolean), (list) => {
        expect(parse(list)).toEqual(list.split(/\s*,\s*/));
      }),
    );
  });

  // A regular expression takes twice as long as this limit, and would block a proxy meanwhile.
  test("splits a list with long white space", { timeout: 10_000 }, () => {
    const spaces = " ".repeat(100_000);
    expect(parse(`a${spaces}b,${spaces}c`)).toEqual([`a${spaces}b`, "c"]);
  });
});
