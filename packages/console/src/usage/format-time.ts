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
  return endMs - startMs <= 3_600_000 ? hour.format(startMs) : day.format(startMs);
}
