import { expect, test } from "vitest";
import type { Usage } from "../api/types.ts";
import {
  applicationsOf,
  environmentsOf,
  formatSpan,
  LAST_DAY,
  parsePeriod,
  periodsOf,
  sumBars,
  toBars,
  toLayers,
  toOnAndOff,
  toRoundMaximum,
} from "./usage-series.ts";

const NOW_MS = Date.parse("2026-03-10T10:20:00Z");

const entry = (timestamp: string, more: Partial<Usage> = {}): Usage => ({
  featureName: "f",
  appName: "web",
  environment: "production",
  timestamp,
  yes: 3,
  no: 1,
  ...more,
});

const USAGE = [
  entry("2026-03-10T10:00:00Z", { variants: { red: 2, blue: 1 } }),
  entry("2026-03-10T10:00:00Z", { appName: "ios", yes: 10 }),
  entry("2026-03-10T09:00:00Z", { variants: { red: 3 } }),
  entry("2026-03-10T09:00:00Z", { environment: "development", yes: 100 }),
  entry("2026-03-01T09:00:00Z", { yes: 1000 }),
];

const barsOf = (application?: string, period = LAST_DAY) =>
  toBars(USAGE, { environment: "production", application }, { period, nowMs: NOW_MS });

test("adds up usage by hour, also for hours without usage", () => {
  const bars = barsOf();
  expect(bars).toHaveLength(24);
  expect(bars.at(-1)).toEqual({
    startMs: Date.parse("2026-03-10T10:00:00Z"),
    endMs: Date.parse("2026-03-10T11:00:00Z"),
    yes: 13,
    no: 2,
    variants: { red: 2, blue: 1 },
    applications: { web: 4, ios: 11 },
  });
  expect(bars.at(-2)).toMatchObject({ yes: 3, no: 1 });
  expect(bars.at(-3)).toMatchObject({ yes: 0, no: 0, variants: {} });
});

test("counts one application", () => {
  expect(sumBars(barsOf("ios"))).toEqual({ yes: 10, no: 1 });
  expect(sumBars(barsOf("other"))).toEqual({ yes: 0, no: 0 });
});

test("a bar represents a day in UTC if the period has days", () => {
  const [, , month, longest] = periodsOf({ daysKept: 91 });
  const bars = barsOf(undefined, month);
  expect(bars).toHaveLength(30);
  expect(bars.at(-1)).toMatchObject({
    startMs: Date.parse("2026-03-10T00:00:00Z"),
    yes: 16,
    no: 3,
    variants: { red: 5, blue: 1 },
  });
  expect(bars.at(-10)).toMatchObject({ yes: 1000, no: 1 });
  expect(bars.map((bar) => formatSpan(bar)).at(-1)).toBe("Tue 10 Mar (UTC)");
  expect(barsOf(undefined, longest)).toHaveLength(91);
});

test("offers the periods for which usage is kept", () => {
  const labels = (daysKept: number) => periodsOf({ daysKept }).map(({ label }) => label);
  expect(labels(91)).toEqual(["24 hours", "48 hours", "30 days", "91 days"]);
  expect(labels(7)).toEqual(["24 hours", "48 hours", "7 days"]);
});

test("reads a period from an address", () => {
  for (const period of periodsOf({ daysKept: 91 })) expect(parsePeriod(period.id)).toEqual(period);
  for (const id of ["", "72h", "0d", "1000d", "30 days"]) expect(parsePeriod(id)).toBe(LAST_DAY);
});

test("a bar has layers for on and off, and one for each variant and application", () => {
  const bars = barsOf().slice(-2);
  expect(toOnAndOff(bars)).toEqual([
    { label: "On", values: [3, 13] },
    { label: "Off", values: [1, 2] },
  ]);
  expect(toLayers(bars, "variants")).toEqual([
    { label: "red", values: [3, 2] },
    { label: "blue", values: [0, 1] },
  ]);
  expect(toLayers(bars, "applications")).toEqual([
    { label: "ios", values: [0, 11] },
    { label: "web", values: [4, 4] },
  ]);
});

test("adds up rare variants in one layer", () => {
  const variants = Object.fromEntries(
    Array.from({ length: 7 }, (_, index) => [`v${index}`, 7 - index]),
  );
  const bars = toBars(
    [entry("2026-03-10T10:00:00Z", { variants })],
    { environment: "production", application: undefined },
    { period: LAST_DAY, nowMs: NOW_MS },
  );
  const series = toLayers(bars.slice(-1), "variants");
  expect(series.map(({ label }) => label)).toEqual(["v0", "v1", "v2", "v3", "v4", "2 others"]);
  expect(series.at(-1)?.values).toEqual([3]);
});

test("names of variants cannot be mistaken for properties of objects", () => {
  const variants = JSON.parse('{"__proto__":2,"constructor":1}') as Record<string, number>;
  const bars = toBars(
    [entry("2026-03-10T10:00:00Z", { variants })],
    { environment: "production", application: undefined },
    { period: LAST_DAY, nowMs: NOW_MS },
  );
  expect(toLayers(bars.slice(-2), "variants")).toEqual([
    { label: "__proto__", values: [0, 2] },
    { label: "constructor", values: [0, 1] },
  ]);
});

test.each([
  [0, 4],
  [3, 4],
  [7, 8],
  [9, 12],
  [10, 12],
  [13, 20],
  [399, 400],
  [450, 600],
  [9000, 12_000],
  [1_200_000, 1_200_000],
])("the axis of %i ends at %i", (value, maximum) => {
  expect(toRoundMaximum(value)).toBe(maximum);
});

test("lists environments by their usage, and applications by name", () => {
  expect(environmentsOf(USAGE)).toEqual(["production", "development"]);
  expect(applicationsOf(USAGE)).toEqual(["ios", "web"]);
});
