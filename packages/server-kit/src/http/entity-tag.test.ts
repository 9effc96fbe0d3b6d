import { expect, test } from "vitest";
import { matchesEntityTag } from "./entity-tag.ts";

const LONG_TAG = 'W/"0123456789abcdef"';

test.each([
  LONG_TAG,
  '"0123456789abcdef"',
  "0123456789abcdef",
  'w/"0123456789abcdef"',
  ` ${LONG_TAG} `,
  `"a", ${LONG_TAG}`,
  `W/"a",${LONG_TAG},"b"`,
  "*",
  " * ",
])("matchesEntityTag() is true for %j", (header) => {
  expect(matchesEntityTag(header, LONG_TAG)).toBe(true);
});

test.each([
  undefined,
  "",
  '""',
  '"a"',
  "W/",
  '"',
  '"a", "b"',
  '"0123456789abcde"',
  '"0123456789abcdef?',
  '?0123456789abcdef"',
  '"*"',
])("matchesEntityTag() is false for %j", (header) => {
  expect(matchesEntityTag(header, LONG_TAG)).toBe(false);
});

test("matchesEntityTag() accepts a long list", () => {
  expect(matchesEntityTag('W/"x", '.repeat(2000), LONG_TAG)).toBe(false);
});
