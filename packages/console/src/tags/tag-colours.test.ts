import { expect, test } from "vitest";
import { TAG_COLOURS, toCssColour } from "./tag-colours.ts";

test("only hexadecimal colours become part of a style", () => {
  expect(toCssColour("#2563EB")).toBe("#2563EB");
  for (const colour of [null, "", "red", "#fff", "#2563eb;", "url(//example.com)"]) {
    expect(toCssColour(colour)).toBeUndefined();
  }
});

test("every selectable colour can be shown", () => {
  for (const { id } of TAG_COLOURS) if (id !== "none") expect(toCssColour(id)).toBe(id);
});
