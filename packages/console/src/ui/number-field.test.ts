import { expect, test } from "vitest";
import { parseTyped } from "./number-field.tsx";

const PERCENTAGE = { minValue: 0, maxValue: 100, step: 1 };

test.each([
  ["30", PERCENTAGE, 30],
  ["0", PERCENTAGE, 0],
  ["100", PERCENTAGE, 100],
  ["101", PERCENTAGE, undefined],
  ["30.5", PERCENTAGE, undefined],
  ["30.5", { ...PERCENTAGE, step: 0.1 }, 30.5],
  ["0.07", { ...PERCENTAGE, step: 0.01 }, 0.07],
  ["-5", PERCENTAGE, undefined],
  ["-5", {}, -5],
  ["12.", PERCENTAGE, undefined],
  ["1,000", {}, undefined],
  ["x", {}, undefined],
  ["", {}, undefined],
])("parseTyped() reads %j in a field with %j as %j", (text, limits, number) => {
  expect(parseTyped(text, limits)).toBe(number);
});
