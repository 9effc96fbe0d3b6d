import { isIP } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { adoptForwarded, parseForwarded } from "./forwarded-header.ts";

const addressesIn = (text: string): string => String(parseForwarded(text)["x-forwarded-for"]);

test.each([
  // The examples of RFC 7239.
  ['for="_gazonk"', "unknown"],
  ['For="[2001:db8:cafe::17]:4711"', "2001:db8:cafe::17"],
  ["for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"],
  ["for=192.0.2.43, for=198.51.100.17", "192.0.2.43, 198.51.100.17"],
  [
    'for=192.0.2.43, for="[2001:db8:cafe::17]", for=unknown',
    "192.0.2.43, 2001:db8:cafe::17, unknown",
  ],
  ['for=_hidden, for=_SEVKISEK, for="192.0.2.43:47011"', "unknown, unknown, 192.0.2.43"],
  ['for="192.0.2.43:_port"', "192.0.2.43"],
  ["by=203.0.113.43", "unknown"],
  ['for="1\\92.0.2.43"', "192.0.2.43"],
  // Not addresses, so nobody is mistaken for the one that they contain.
  ['for="10.0.0.1, 10.0.0.2"', "unknown"],
  ['for="999.0.0.1"', "unknown"],
  ["for=2001:db8::1", "unknown"],
  ['for="[10.0.0.1]"', "unknown"],
  // Malformed. A client may have sent the start, to hide the element that the load balancer adds.
  ['for="x, for=192.0.2.43', "unknown"],
  ["", "unknown"],
  ["for", "unknown"],
  ['for="192.0.2.43', "unknown"],
  ["for=192.0.2.43,,for=192.0.2.44", "unknown"],
  ["192.0.2.43", "unknown"],
])("parseForwarded() reads the addresses of %s", (text, expected) => {
  expect(addressesIn(text)).toBe(expected);
});

test("parseForwarded() reads scheme and host of the nearest proxy", () => {
  expect(
    parseForwarded(
      'for=1.1.1.1;proto=http;host=a.test, for=2.2.2.2;proto=HTTPS;host="b.test:8443"',
    ),
  ).toEqual({
    "x-forwarded-for": "1.1.1.1, 2.2.2.2",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "b.test:8443",
  });
  expect(parseForwarded('for=1.1.1.1;proto=ftp;host="a.test/x y"')).toEqual({
    "x-forwarded-for": "1.1.1.1",
  });
});

test.each(["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"])(
  "adoptForwarded() has no effect on a request with %s",
  (name) => {
    const headers = { forwarded: "for=1.1.1.1;proto=https;host=a.test", [name]: "set" };
    adoptForwarded(headers);
    expect(headers).toEqual({ forwarded: headers.forwarded, [name]: "set" });
  },
);

const quote = (text: string): string => `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
const port = fc.option(fc.integer({ min: 0, max: 65_535 }), { nil: undefined });
const node = fc.oneof(
  fc.tuple(fc.ipV4(), port).map(([address, number]) => ({
    address,
    text: number === undefined ? address : quote(`${address}:${number}`),
  })),
  fc.tuple(fc.ipV6(), port).map(([address, number]) => ({
    address,
    text: quote(number === undefined ? `[${address}]` : `[${address}]:${number}`),
  })),
  fc.stringMatching(/^_[\w.-]+$/).map((text) => ({ address: "unknown", text })),
);

test("parseForwarded() returns the address of every hop, in order", () => {
  fc.assert(
    fc.property(fc.array(node, { minLength: 1 }), (nodes) => {
      const text = nodes.map((hop) => `for=${hop.text};proto=https`).join(", ");
      expect(addressesIn(text)).toBe(nodes.map(({ address }) => address).join(", "));
    }),
  );
});

test("parseForwarded() returns only addresses, whatever the header", () => {
  const part = fc.constantFrom(
    "for=",
    '"',
    "\\",
    ",",
    ";",
    "[",
    "]",
    "10.0.0.1",
    "::1",
    "_x",
    " ",
    ":80",
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(part).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (header) => {
      const addresses = addressesIn(header).split(", ");
      expect(addresses.every((address) => address === "unknown" || isIP(address) !== 0)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
