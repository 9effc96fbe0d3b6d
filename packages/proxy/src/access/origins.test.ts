import { expect, test } from "vitest";
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
