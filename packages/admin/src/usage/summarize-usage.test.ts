import { expect, test } from "vitest";
import { lastHours, readHoursBack, type HourlyUsage } from "./read-feature-usage.ts";
import { fillHours, namesOfApplications, sumByEnvironment } from "./summarize-usage.ts";

const NOW = new Date("2026-01-01T12:34:00Z");
const hours = lastHours(2, NOW);
const [earlier = NOW, current = NOW] = hours;

const entry = (over: Partial<HourlyUsage> = {}): HourlyUsage => ({
  featureName: "f",
  appName: "a",
  environment: "e",
  timestamp: current,
  yes: 1,
  no: 2,
  ...over,
});

test("lastHours() ends with the hour under way", () => {
  expect(hours.map((hour) => hour.toISOString())).toEqual([
    "2026-01-01T11:00:00.000Z",
    "2026-01-01T12:00:00.000Z",
  ]);
});

test("fillHours() adds what was not counted, and keeps what was, in order", () => {
  const usage = [entry({ appName: "b", timestamp: earlier }), entry({ environment: "d" })];
  const filled = fillHours("f", usage, hours);
  expect(filled.map(({ environment, appName, yes }) => [environment, appName, yes])).toEqual([
    ["d", "a", 0],
    ["d", "b", 0],
    ["e", "a", 0],
    ["e", "b", 1],
    ["d", "a", 1],
    ["d", "b", 0],
    ["e", "a", 0],
    ["e", "b", 0],
  ]);
  expect(fillHours("f", [], hours)).toEqual([]);
});

test("fillHours() fills for no more than 100 applications, and loses none", () => {
  const usage = Array.from({ length: 150 }, (_, index) => entry({ appName: `app-${index}` }));
  const filled = fillHours("f", usage, hours);
  expect(filled).toHaveLength(250);
  expect(filled.filter(({ yes }) => yes > 0)).toHaveLength(150);
});

test("sumByEnvironment() adds up what all applications counted in the hour", () => {
  const usage = [entry(), entry({ appName: "b" }), entry({ environment: "d", timestamp: earlier })];
  expect(sumByEnvironment(usage, current)).toEqual([
    { environment: "e", timestamp: current, yes: 2, no: 4 },
  ]);
  expect(namesOfApplications([...usage, entry()])).toEqual(["a", "b"]);
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
])("readHoursBack() of %j is %i", (sent, expected) => {
  expect(readHoursBack(sent)).toBe(expected);
});
