import { expect, test } from "vitest";
import { lastHours } from "./hours.ts";
import {
  fillHours,
  type HourlyUsage,
  namesOfApplications,
  sumByEnvironment,
} from "./read-usage.ts";

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

test("fillHours() adds missing entries and keeps existing ones, in order", () => {
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

test("fillHours() adds entries for at most 100 applications, and keeps all existing entries", () => {
  const usage = Array.from({ length: 150 }, (_, index) => entry({ appName: `app-${index}` }));
  const filled = fillHours("f", usage, hours);
  expect(filled).toHaveLength(250);
  expect(filled.filter(({ yes }) => yes > 0)).toHaveLength(150);
});

test("sumByEnvironment() sums up the counts of all applications in an hour", () => {
  const usage = [entry(), entry({ appName: "b" }), entry({ environment: "d", timestamp: earlier })];
  expect(sumByEnvironment(usage, current)).toEqual([
    { environment: "e", timestamp: current, yes: 2, no: 4 },
  ]);
  expect(namesOfApplications([...usage, entry()])).toEqual(["a", "b"]);
});
