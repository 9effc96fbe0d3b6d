import { expect, test } from "vitest";
import {
  lastDays,
  lastHours,
  parseDaysBack,
  parseHour,
  parseHoursBack,
  startOfHour,
} from "./hours.ts";

const NOW = new Date("2026-03-29T01:59:59.999Z");

test("startOfHour() does not depend on the time zone", () => {
  expect(startOfHour(NOW).toISOString()).toBe("2026-03-29T01:00:00.000Z");
  expect(startOfHour(new Date(0)).toISOString()).toBe("1970-01-01T00:00:00.000Z");
});

test.each([
  ["2026-03-29T00:30:00Z", "2026-03-29T00:00:00.000Z"],
  ["2026-03-29T02:30:00+02:00", "2026-03-29T00:00:00.000Z"],
  [Date.parse("2026-03-28T12:01:00Z"), "2026-03-28T12:00:00.000Z"],
  ["2027-01-01T00:00:00Z", "2026-03-29T01:00:00.000Z"],
  ["2020-01-01T00:00:00Z", "2026-03-27T02:00:00.000Z"],
  [undefined, "2026-03-29T01:00:00.000Z"],
  [null, "2026-03-29T01:00:00.000Z"],
  ["soon", "2026-03-29T01:00:00.000Z"],
])("parseHour() for %j is %s", (sent, expected) => {
  expect(parseHour(sent, NOW).toISOString()).toBe(expected);
});

test("lastHours() ends with the current hour", () => {
  expect(lastHours(2, NOW).map((hour) => hour.toISOString())).toEqual([
    "2026-03-29T00:00:00.000Z",
    "2026-03-29T01:00:00.000Z",
  ]);
});

test.each([
  [undefined, 24],
  ["1", 1],
  ["48", 48],
  ["0", 24],
  ["49", 24],
  ["", 24],
  ["1e1", 10],
  ["x", 24],
])("parseHoursBack() for %j is %i", (sent, expected) => {
  expect(parseHoursBack(sent, 48)).toBe(expected);
});

test("parseHoursBack() accepts as many hours as usage is kept", () => {
  expect(parseHoursBack("720", 720)).toBe(720);
  expect(parseHoursBack("721", 720)).toBe(24);
});

test("lastDays() ends with the current day in UTC", () => {
  expect(lastDays(2, NOW).map((day) => day.toISOString())).toEqual([
    "2026-03-28T00:00:00.000Z",
    "2026-03-29T00:00:00.000Z",
  ]);
});

test("parseDaysBack() accepts as many days as usage is kept, and nothing else", () => {
  expect(parseDaysBack(undefined, 91)).toBeUndefined();
  expect(parseDaysBack("1", 91)).toBe(1);
  expect(parseDaysBack("91", 91)).toBe(91);
  for (const sent of ["", "0", "92", "-1", "1.5", "1e1", "x"]) {
    expect(() => parseDaysBack(sent, 91)).toThrow("must be an integer from 1 to 91");
  }
});
