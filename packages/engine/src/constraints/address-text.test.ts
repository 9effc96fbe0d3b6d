import fc from "fast-check";
import { expect, test } from "vitest";
import { fuzzRuns } from "../../../../scripts/test-size.ts";
import { isAddressOrRange } from "./address-text.ts";
import { parseAddress } from "./ip-address.ts";

/** Valid addresses, and parts of them in any order. */
const address = fc.oneof(
  fc.ipV4(),
  fc.ipV4Extended().filter((text) => !text.startsWith("0")),
  fc.ipV6(),
  fc.constantFrom("::ffff:10.0.0.1", "::", "1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:8", "fe80::1%eth0"),
  fc.string({ unit: fc.constantFrom(..."0123456789abfF:./%x ".split("")), maxLength: 30 }),
  fc
    .array(fc.constantFrom("::", ":", "0", "db8", "FFFF", "10.0.0.1", "256", ".", "/64", "%eth0"), {
      maxLength: 12,
    })
    .map((parts) => parts.join("")),
);

const suffix = fc.oneof(
  fc.constant(""),
  fc.integer({ min: 0, max: 140 }).map((length) => `/${length}`),
  fc.constantFrom(
    "/08",
    "/008",
    "/064",
    "/",
    "/x",
    "/-1",
    "%0",
    "%eth0",
    "%eth0/64",
    "/64%eth0",
    " ",
  ),
);

test("isAddressOrRange() accepts exactly what parseAddress() parses", () => {
  let accepted = 0;
  fc.assert(
    fc.property(address, suffix, (start, end) => {
      const text = (start + end).trim();
      const isParsed = parseAddress(text) !== null;
      if (isParsed) accepted += 1;
      expect([text, isAddressOrRange(text)]).toEqual([text, isParsed]);
    }),
    { numRuns: fuzzRuns(5000, 50_000) },
  );
  expect(accepted).toBeGreaterThan(500);
});

test("isAddressOrRange() rejects text that is no address in linear time", { timeout: 5000 }, () => {
  for (const part of [":", "1:", "::", "%", "/1", "1.", " "]) {
    expect(isAddressOrRange(`a${part.repeat(1_000_000)}`)).toBe(false);
  }
});
