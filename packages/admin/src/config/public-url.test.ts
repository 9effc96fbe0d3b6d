import { InvalidValue } from "flags-server-kit/command-line";
import { expect, test } from "vitest";
import { publicUrlKind } from "./public-url.ts";

test.each([
  ["https://flags.example.com", "https://flags.example.com/"],
  ["https://example.com/flags", "https://example.com/flags/"],
  ["http://127.0.0.1:4242//", "http://127.0.0.1:4242/"],
])("publicUrlKind adds a slash to %s", (text, url) => {
  expect(publicUrlKind.fromText(text)).toBe(url);
});

test.each([
  "flags.example.com",
  "ftp://example.com",
  "https://",
  "https://user@example.com",
  "https://example.com/?a",
  "https://example.com/#a",
])("publicUrlKind rejects %s", (text) => {
  expect(publicUrlKind.fromText(text)).toBeInstanceOf(InvalidValue);
});
