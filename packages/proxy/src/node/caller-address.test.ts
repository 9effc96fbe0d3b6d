import { expect, test } from "vitest";
import { createCallerAddress } from "./caller-address.ts";

const from = (remoteAddress: string | undefined, forwardedFor?: string) => ({
  socket: { remoteAddress },
  headers: forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor },
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8::1", "2001:db8::1"],
  [undefined, undefined],
])("the address behind the untrusted peer %j is %j, whatever it forwards", (peer, expected) => {
  expect(createCallerAddress(false)(from(peer, "203.0.113.9"))).toBe(expected);
});

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["203.0.113.9:4711", "203.0.113.9"],
  ["[2001:db8::1]:4711", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["::FFFF:CB00:7109", "203.0.113.9"],
  ["[0:0:0:0:0:ffff:203.0.113.9]:4711", "203.0.113.9"],
  ["203.0.113.9, 10.0.0.2", "203.0.113.9"],
])("the address that a trusted peer forwards as %j is %j", (forwarded, expected) => {
  expect(createCallerAddress(true)(from("10.0.0.1", forwarded))).toBe(expected);
  expect(createCallerAddress(["10.0.0.0/8"])(from("10.0.0.1", forwarded))).toBe(expected);
});

test.each(["::FFFF:10.0.0.0/104", "::ffff:A00:1", "2001:DB8:0::/32"])(
  "the trusted peers %s are compared by value",
  (range) => {
    const address = createCallerAddress([range]);
    const [peer = "", other = ""] = range.startsWith("2001")
      ? ["2001:db8::9", "2001:db9::9"]
      : ["::ffff:10.0.0.1", "::ffff:11.0.0.1"];
    expect(address(from(peer, "203.0.113.9"))).toBe("203.0.113.9");
    expect(address(from(other, "203.0.113.9"))).not.toBe("203.0.113.9");
  },
);

test("the address is that of the first peer that is not trusted", () => {
  const address = createCallerAddress(["10.0.0.0/8"]);
  expect(address(from("192.0.2.1", "203.0.113.9"))).toBe("192.0.2.1");
  expect(address(from("10.0.0.1", "203.0.113.9, 198.51.100.7"))).toBe("198.51.100.7");
});
