import type { Usage } from "../api/types.ts";
import { formatCount } from "../ui/numbers.ts";
import { ownValue } from "../ui/own-value.ts";
import { sortDistinct } from "../ui/words.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A span of time up to now, with one bar for each of its hours, or days in UTC. */
export interface Period {
  /** In addresses, such as 30d. */
  readonly id: string;
  readonly label: string;
  readonly unit: "day" | "hour";
  /** How many hours or days. */
  readonly count: number;
}

export const LAST_DAY: Period = toPeriod(24, "hour");

function toPeriod(count: number, unit: Period["unit"]): Period {
  return { id: `${count}${unit.charAt(0)}`, label: `${count} ${unit}s`, unit, count };
}

/** Returns the period with an id. Anything can be in an address: what is not valid is the last day. */
export function parsePeriod(id: string): Period {
  if (id === "48h") return toPeriod(48, "hour");
  const [, days] = /^([1-9]\d{0,2})d$/.exec(id) ?? [];
  return days === undefined ? LAST_DAY : toPeriod(Number(days), "day");
}

/** How long usage is kept by hour and by day. */
export interface UsageKept {
  readonly hoursKept: number;
  readonly daysKept: number;
}

const MONTH_DAYS = 30;

/** The periods to choose from. Of hours, two days are as many as a chart can show. */
export function periodsOf({ daysKept }: Pick<UsageKept, "daysKept">): readonly Period[] {
  const days = daysKept > MONTH_DAYS ? [MONTH_DAYS, daysKept] : [daysKept];
  return [LAST_DAY, toPeriod(48, "hour"), ...days.map((count) => toPeriod(count, "day"))];
}

/** The usage in a part of the period. */
export interface Bar {
  readonly startMs: number;
  readonly endMs: number;
  readonly yes: number;
  readonly no: number;
  readonly variants: Readonly<Record<string, number>>;
  /** The evaluations by each application. */
  readonly applications: Readonly<Record<string, number>>;
}

/** Which usage to count. */
interface UsageFilter {
  readonly environment: string;
  /** Undefined for all. */
  readonly application: string | undefined;
}

/** Adds up the usage of a period into bars, also for times without usage. The last bar contains the current time. */
export function toBars(
  usage: readonly Usage[],
  { environment, application }: UsageFilter,
  { period: { unit, count }, nowMs }: { readonly period: Period; readonly nowMs: number },
): readonly Bar[] {
  const lengthMs = unit === "day" ? DAY_MS : HOUR_MS;
  const endMs = Math.floor(nowMs / lengthMs) * lengthMs + lengthMs;
  const firstMs = endMs - count * lengthMs;
  const bars = Array.from({ length: count }, (_, index) => ({
    startMs: firstMs + index * lengthMs,
    endMs: firstMs + (index + 1) * lengthMs,
    yes: 0,
    no: 0,
    variants: new Map<string, number>(),
    applications: new Map<string, number>(),
  }));
  for (const entry of usage) {
    if (entry.environment !== environment) continue;
    if (application !== undefined && entry.appName !== application) continue;
    const bar = bars[Math.floor((new Date(entry.timestamp).getTime() - firstMs) / lengthMs)];
    if (bar === undefined) continue;
    bar.yes += entry.yes;
    bar.no += entry.no;
    addTo(bar.applications, entry.appName, entry.yes + entry.no);
    for (const [name, times] of Object.entries(entry.variants ?? {})) {
      addTo(bar.variants, name, times);
    }
  }
  return bars.map((bar) => ({
    ...bar,
    variants: Object.fromEntries(bar.variants),
    applications: Object.fromEntries(bar.applications),
  }));
}

function addTo(counts: Map<string, number>, name: string, times: number): void {
  counts.set(name, (counts.get(name) ?? 0) + times);
}

/** The sums of all bars. */
export function sumBars(bars: readonly Bar[]): Pick<Bar, "no" | "yes"> {
  return {
    yes: bars.reduce((sum, { yes }) => sum + yes, 0),
    no: bars.reduce((sum, { no }) => sum + no, 0),
  };
}

/** One layer of the stacked bars, with a value for each bar. */
export interface Series {
  readonly label: string;
  readonly values: readonly number[];
}

/** The evaluations with the result on, and those with the result off above them. */
export function toOnAndOff(bars: readonly Bar[]): readonly Series[] {
  return [
    { label: "On", values: bars.map(({ yes }) => yes) },
    { label: "Off", values: bars.map(({ no }) => no) },
  ];
}

/** How many names have a layer of their own, because more colours are hard to distinguish. */
const MAX_LAYERS = 5;

/** One layer for each of the most frequent variants, or applications, and one for all others. */
export function toLayers(
  bars: readonly Bar[],
  kind: "applications" | "variants",
): readonly Series[] {
  const sums = new Map<string, number>();
  for (const bar of bars) {
    for (const [name, times] of Object.entries(bar[kind])) addTo(sums, name, times);
  }
  const names = [...sums]
    .filter(([, times]) => times > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name]) => name);
  const valuesOf = (some: readonly string[]): readonly number[] =>
    bars.map((bar) => some.reduce((sum, name) => sum + (ownValue(bar[kind], name) ?? 0), 0));
  const others = names.slice(MAX_LAYERS);
  return [
    ...names.slice(0, MAX_LAYERS).map((label) => ({ label, values: valuesOf([label]) })),
    ...(others.length === 0
      ? []
      : [{ label: `${formatCount(others.length)} others`, values: valuesOf(others) }]),
  ];
}

/** Returns a round number that is at least as large, for the end of an axis. Its quarters are round too. */
export function toRoundMaximum(value: number): number {
  if (value <= 8) return value <= 4 ? 4 : 8;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1.2, 2, 4, 6, 8, 12].map((step) => step * power).find((round) => round >= value) ?? value;
}

/** The environments in the usage, the one with the most evaluations first. */
export function environmentsOf(usage: readonly Usage[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { environment, yes, no } of usage) {
    counts.set(environment, (counts.get(environment) ?? 0) + yes + no);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
}

export function applicationsOf(usage: readonly Usage[]): readonly string[] {
  return sortDistinct(usage.map(({ appName }) => appName));
}

const hour = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const dayAndHour = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

const dayInUtc = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});
const dateInUtc = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** Describes when a bar begins and ends, for example "Tue 10 Mar, 10:00 – 11:00", or "Tue 10 Mar (UTC)" for a day. */
export function formatSpan(span: Span): string {
  if (isDay(span)) return `${dayInUtc.format(span.startMs)} (UTC)`;
  return `${dayAndHour.format(span.startMs)} – ${hour.format(span.endMs)}`;
}

/** Describes a place on the time axis: the hour, or the day. */
export function formatTick(span: Span): string {
  return isDay(span) ? dateInUtc.format(span.startMs) : hour.format(span.startMs);
}

/** Describes the end of the time axis. */
export function formatEnd(span: Span): string {
  return isDay(span) ? "today" : "now";
}

function isDay({ startMs, endMs }: Span): boolean {
  return endMs - startMs > HOUR_MS;
}
