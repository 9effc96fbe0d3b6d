import fc from "fast-check";
import { expect, test } from "vitest";
import { fuzzRuns } from "../../../../../scripts/test-size.ts";
import { createOriginCheck } from "./origins.ts";

const check = createOriginCheck([
  "https://shop.test:443",
  "http://LOCALHOST:8080",
  "https://*.example.test",
  "http://*.dev.test:3000",
]);

test.each([
  "https://shop.test",
  "http://localhost:8080",
  "https://a.example.test",
  "https://a.b-c.example.test",
  "http://x.dev.test:3000",
])("%s is allowed", (origin) => {
  expect(check(origin)).toBe(true);
});

test.each([
  "",
  "null",
  "https://shop.test:8443",
  "http://shop.test",
  "https://example.test",
  "https://.example.test",
  "https://a..example.test",
  "https://evilexample.test",
  "https://a.example.test.evil.test",
  "https://evil.test/.example.test",
  "https://evil.test?.example.test",
  "https://user@a.example.test",
  "http://a.example.test",
  "https://a.example.test:444",
  "http://x.dev.test",
  "https://*.example.test",
])("%j is not allowed", (origin) => {
  expect(check(origin)).toBe(false);
});

test("an origin is allowed if and only if it is valid and its host is below that of a pattern", () => {
  const label = fc.constantFrom(
    "a",
    "evil",
    "example",
    "test",
    "x-1",
    "A",
    "",
    "*",
    "ä",
    "a_b",
    "%2e",
  );
  const joint = fc.constantFrom(".", ".", ".", "@", "/", ":", "?", "#", "\\", " ", "\n", "..");
  const name = fc
    .array(fc.tuple(label, joint), { maxLength: 4 })
    .map((parts) => parts.flat().join(""));
  const allowed = fc
    .array(fc.constantFrom("a", "evil", "x-1", "a_b"), { minLength: 1, maxLength: 3 })
    .map((labels) => `https://${labels.join(".")}.example.test`);
  const similar = fc
    .tuple(
      fc.constantFrom("https://", "http://", "HTTPS://", "https:", "ftp://", ""),
      name,
      fc.constantFrom("example.test", ".example.test", "shop.test", "dev.test:3000", "test"),
      fc.constantFrom("", "", ":443", ":3000", "/", ".evil.test", "."),
    )
    .map((parts) => parts.join(""));
  const origin = fc.oneof({ weight: 9, arbitrary: similar }, { weight: 1, arbitrary: allowed });
  const patterns = [
    { protocol: "https:", domain: ".example.test", port: "" },
    { protocol: "http:", domain: ".dev.test", port: "3000" },
  ];
  const expected = (text: string): boolean => {
    if (text === "https://shop.test" || text === "http://localhost:8080") return true;
    // Browsers send an origin in exactly this form.
    if (!URL.canParse(text) || new URL(text).origin !== text) return false;
    const { protocol, hostname, port } = new URL(text);
    return patterns.some(
      (pattern) =>
        protocol === pattern.protocol &&
        port === pattern.port &&
        hostname.endsWith(pattern.domain) &&
        /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(hostname.slice(0, -pattern.domain.length)),
    );
  };
  const seen = { allowed: 0 };
  fc.assert(
    fc.property(origin, (text) => {
      if (check(text)) seen.allowed += 1;
      expect(check(text), text).toBe(expected(text));
    }),
    { numRuns: fuzzRuns(1000, 2000) },
  );
  expect(seen.allowed).toBeGreaterThan(0);
});
