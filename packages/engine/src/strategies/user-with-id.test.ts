import { describe, expect, test } from "vitest";
import { evaluateFlag, matches } from "../_evaluate.ts";

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
  ])("with the list %j and the user %j is %j", (userIds, userId, expected) => {
    expect(matches({ name: "userWithId", parameters: { userIds } }, { userId })).toBe(expected);
  });
});

describe("remoteAddress()", () => {
  test.each([
    ["10.0.0.1", "10.0.0.1", true],
    ["10.0.0.0/8, 192.168.0.0/16", "192.168.7.7", true],
    ["10.0.0.0/8", "11.0.0.1", false],
    ["10.0.0.0/8", "10.1.1.1/4", false],
    ["::1", "::1", true],
    ["::1", "0:0:0:0:0:0:0:1", false],
    ["2001:db8::/32", "2001:db8::1", false],
    ["anything", "anything", true],
    ["10.0.0.0/8,", "", true],
    ["10.0.0.0/8", undefined, false],
    [undefined, "10.0.0.1", false],
  ])("with the list %j and the address %j is %j", (IPs, address, expected) => {
    const strategy = { name: "remoteAddress", parameters: { IPs } };
    expect(matches(strategy, { remoteAddress: address })).toBe(expected);
  });
});

describe("applicationHostname()", () => {
  test.each([
    ["web-1,web-2", true],
    ["WEB-2", true],
    ["web-1", false],
    ["", false],
    [undefined, false],
  ])("with the list %j on Web-2 is %j, whatever the context", (hostNames, expected) => {
    const strategies = [{ name: "applicationHostname", parameters: { hostNames } }];
    const answer = evaluateFlag({ strategies }, { hostname: "web-1" }, { hostname: "Web-2" });
    expect(answer.enabled).toBe(expected);
  });
});
