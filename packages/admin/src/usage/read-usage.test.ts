import { expect, test } from "vitest";
import { lastHours } from "./hours.ts";
import { fillTimes, type TimedUsage } from "./read-usage.ts";

const NOW = new Date("2026-01-01T12:34:00Z");
const hours = lastHours(2, NOW);
const [earlier = NOW, current = NOW] = hours;

const entry = (over: Partial<TimedUsage> = {}): TimedUsage => ({
  featureName: "f",
  appName: "a",
  environment: "e",
  timestamp: current,
  yes: 1,
  no: 2,
  ...over,
});

test("fillTimes() adds missing entries and keeps existing ones, in order", () => {
  const usage = [entry({ appName: "b", timestamp: earlier }), entry({ environment: "d" })];
  const filled = fillTimes("f", usage, hours);
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
  expect(fillTimes("f", [], hours)).toEqual([]);
});
