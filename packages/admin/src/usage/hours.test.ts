import { expect, test } from "vitest";
import { readHour, startOfHour } from "./hours.ts";

const NOW = new Date("2026-03-29T01:59:59.999Z");

test("startOfHour() is the same wherever the server is", () => {
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
])("readHour() of %j is %s", (sent, expected) => {
  expect(readHour(sent, NOW).toISOString()).toBe(expected);
});
