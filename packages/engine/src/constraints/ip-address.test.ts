import { describe, expect, test } from "vitest";
import { satisfies } from "../../test/_evaluate.ts";

describe("inCidr()", () => {
  test.each([
    [["10.0.0.0/8"], "10.1.2.3", true],
    [["10.0.0.0/8"], "11.1.2.3", false],
    [["10.0.0.5/24"], "10.0.0.77", true],
    [["192.168.1.1"], "192.168.1.1", true],
    [["0.0.0.0/0"], "8.8.8.8", true],
    [["0.0.0.0/0"], "::1", false],
    [["10.0.0.0/8"], "10.1.1.1/8", true],
    [["10.0.0.0/8"], "10.1.1.1/4", false],
    [["10.0.0.5/8"], "10.0.0.5/4", true],
    [["2001:db8::/32"], "2001:DB8:1::1", true],
    [["2001:db8::/32"], "2001:db9::1", false],
    [["::1"], "0:0:0:0:0:0:0:1", true],
    [["::ffff:10.0.0.0/104"], "10.1.1.1", false],
    [["nonsense", " 10.0.0.0/8 "], "10.1.1.1", true],
    [["nonsense"], "nonsense", false],
    [["10.0.0.0/8"], " 10.1.1.1", false],
    [["10.0.0.0/8"], "010.1.1.1", false],
    [["10.0.0.0/8"], undefined, false],
    [[], "10.1.1.1", false],
  ])("inCidr() with ranges %j and the address %j is %j", (values, remoteAddress, expected) => {
    const constraint = { contextName: "remoteAddress", operator: "IN_CIDR", values };
    expect(satisfies(constraint, { remoteAddress })).toBe(expected);
  });
});
