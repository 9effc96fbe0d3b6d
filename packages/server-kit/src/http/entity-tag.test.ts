import { expect, test } from "vitest";
import { isNamedBy } from "./entity-tag.ts";

const TAG = 'W/"0123456789abcdef"';

test.each([
  TAG,
  '"0123456789abcdef"',
  "0123456789abcdef",
  'w/"0123456789abcdef"',
  ` ${TAG} `,
  `"a", ${TAG}`,
  `W/"a",${TAG},"b"`,
  "*",
  " * ",
])("isNamedBy() is true for %j", (header) => {
  expect(isNamedBy(header, TAG)).toBe(true);
});

test.each([undefined, "", '""', '"a"', "W/", '"', '"a", "b"', '"0123456789abcde"', '"*"'])(
  "isNamedBy() is false for %j",
  (header) => {
    expect(isNamedBy(header, TAG)).toBe(false);
  },
);

test("isNamedBy() takes no more than a moment for a long list", () => {
  expect(isNamedBy('W/"x", '.repeat(2000), TAG)).toBe(false);
});
