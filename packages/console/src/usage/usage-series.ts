import type { Usage } from "../api/types.ts";
import { formatCount } from "../ui/numbers.ts";
import { ownValue } from "../ui/own-value.ts";
import { sortDistinct } from "../ui/words.ts";

const HOUR_MS = 3_600_000;

/** A span of time, and how many hours one bar of its chart stands for. */
export interface Period {
  readonly hours: number;
  readonly label: string;
  readonly hoursPerBar: number;
}

export const PERIODS = [
  { hours: 24, label: "24 hours", hoursPerBar: 1 },
  { hours: 48, label: "48 hours", hoursPerBar: 1 },
  { hours: 168, label: "7 days", hoursPerBar: 6 },
  { hours: 720, label: "30 days", hoursPerBar: 24 },
] as const satisfies readonly Period[];

/** The usage in a part of the period. */
export interface Bar {
  readonly startMs: number;
  readonly endMs: number;
  readonly yes: number;
  readonly no: number;
  readonly variants: Readonly<Record<string, number>>;
}

/** Which usage to count. */
interface UsageFilter {
  readonly environment: string;
  /** Undefined for all. */
  readonly application: string | undefined;
}

/**
 * Adds up the usage of a period into bars of equal length, also for times without usage. The last bar contains
 * the current hour and ends with it.
 */
export function toBars(
  usage: readonly Usage[],
  { environment, application }: UsageFilter,
  { period, nowMs }: { readonly period: Period; readonly nowMs: number },
): readonly Bar[] {
  const lengthMs = period.hoursPerBar * HOUR_MS;
  const endMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS + HOUR_MS;
  const count = period.hours / period.hoursPerBar;
  const firstMs = endMs - count * lengthMs;
  const bars = Array.from({ length: count }, (_, index) => ({
    startMs: firstMs + index * lengthMs,
    endMs: firstMs + (index + 1) * lengthMs,
    yes: 0,
    no: 0,
    variants: new Map<string, number>(),
  }));
  for (const entry of usage) {
    if (entry.environment !== environment) continue;
    if (application !== undefined && entry.appName !== application) continue;
    const bar = bars[Math.floor((new Date(entry.timestamp).getTime() - firstMs) / lengthMs)];
    if (bar === undefined) continue;
    bar.yes += entry.yes;
    bar.no += entry.no;
    for (const [name, times] of Object.entries(entry.variants ?? {})) {
      bar.variants.set(name, (bar.variants.get(name) ?? 0) + times);
    }
  }
  return bars.map((bar) => ({ ...bar, variants: Object.fromEntries(bar.variants) }));
}

/** The sums of all bars. */
export function sumBars(bars: readonly Bar[]): Pick<Bar, "no" | "variants" | "yes"> {
  const variants = new Map<string, number>();
  for (const [name, count] of bars.flatMap((bar) => Object.entries(bar.variants))) {
    variants.set(name, (variants.get(name) ?? 0) + count);
  }
  return {
    yes: bars.reduce((sum, { yes }) => sum + yes, 0),
    no: bars.reduce((sum, { no }) => sum + no, 0),
    variants: Object.fromEntries(variants),
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

/** How many variants have a layer of their own, because more colours are hard to distinguish. */
const MAX_VARIANTS = 5;

/** One layer for each of the most frequent variants, and one for all others. */
export function toVariants(bars: readonly Bar[]): readonly Series[] {
  const names = Object.entries(sumBars(bars).variants)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name]) => name);
  const valuesOf = (some: readonly string[]): readonly number[] =>
    bars.map(({ variants }) =>
      some.reduce((sum, name) => sum + (ownValue(variants, name) ?? 0), 0),
    );
  const others = names.slice(MAX_VARIANTS);
  return [
    ...names.slice(0, MAX_VARIANTS).map((label) => ({ label, values: valuesOf([label]) })),
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
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const dayAndHour = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** Describes when a bar begins and ends, for example "Tue 10 Mar, 10:00 – 11:00". */
export function formatSpan({ startMs, endMs }: Span): string {
  return `${dayAndHour.format(startMs)} – ${hour.format(endMs)}`;
}

/** Describes a place on the time axis: the hour, or the day if a bar is longer than an hour. */
export function formatTick({ startMs, endMs }: Span): string {
  return endMs - startMs <= HOUR_MS ? hour.format(startMs) : day.format(startMs);
}
