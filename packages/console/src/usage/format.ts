const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const hour = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const dayAndHour = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** Abbreviates a large number, for example 12.3K. */
export function abbreviateCount(count: number): string {
  return compact.format(count);
}

export function formatShare(part: number, whole: number): string {
  return whole === 0 ? "" : percent.format(part / whole);
}

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
  return endMs - startMs <= 3_600_000 ? hour.format(startMs) : day.format(startMs);
}
