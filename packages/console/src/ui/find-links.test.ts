import { expect, test } from "vitest";
import { findLinks } from "./find-links.ts";

const linksIn = (text: string) => findLinks(text).flatMap(({ href }) => href ?? []);

test("finds addresses without the punctuation around them", () => {
  expect(findLinks("See https://a.example/x?y=1#z (and http://b.example).\nBye")).toEqual([
    { text: "See " },
    { text: "https://a.example/x?y=1#z", href: "https://a.example/x?y=1#z" },
    { text: " (and " },
    { text: "http://b.example", href: "http://b.example" },
    { text: ").\nBye" },
  ]);
  expect(linksIn("<https://a.example/b_(c)> 'https://d.example/e', https://f.example...")).toEqual([
    "https://a.example/b_(c)",
    "https://d.example/e",
    "https://f.example",
  ]);
});

test.each([
  "javascript:alert(1)",
  "data:text/html,x",
  "ftp://a.example",
  "https://",
  "https://bank.example@evil.example/",
  "https://user:password@a.example",
  "//a.example",
  "xhttps://a.example",
])("does not link %s", (text) => {
  expect(findLinks(text)).toEqual([{ text }]);
});

test(
  "keeps every character, in time that is proportional to the length",
  { timeout: 10_000 },
  () => {
    const text = `https://a.example/${".)".repeat(50_000)} http://${"(".repeat(50_000)}`;
    expect(
      findLinks(text)
        .map((part) => part.text)
        .join(""),
    ).toBe(text);
    expect(findLinks("")).toEqual([]);
  },
);
