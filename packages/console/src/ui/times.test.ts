import { expect, test } from "vitest";
import { formatTime, fromLocalTime, toLocalTime } from "./times.ts";

test("times keep their seconds on the way to the field and back", () => {
  const time = "2026-01-31T12:00:30.000Z";
  expect(fromLocalTime(toLocalTime(time))).toBe(time);
  expect(toLocalTime("2026-01-31T12:00:00Z")).toMatch(/^2026-01-\d\dT\d\d:\d\d$/);
});

test("an invalid time becomes an empty field, and an incomplete field has no time", () => {
  expect(toLocalTime("soon")).toBe("");
  expect(toLocalTime("")).toBe("");
  expect(fromLocalTime("")).toBe("");
});

test("formatTime() names the time zone, and returns other strings unchanged", () => {
  expect(formatTime("2026-03-12T12:00:00Z")).toMatch(/^\d\d Mar 2026, \d\d:00 \S+$/);
  expect(formatTime("soon")).toBe("soon");
});
