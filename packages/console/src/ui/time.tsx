import { formatTime } from "./local-time.ts";

const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** A point in time, relative to now; pointing at it shows the date. @param value ISO 8601 */
export function Time({ value }: { readonly value: string }) {
  return (
    <time dateTime={value} title={formatTime(value)}>
      {describeDistance(new Date(value).getTime() - Date.now())}
    </time>
  );
}

/** Describes a distance in time in words, for example "3 days ago". */
export function describeDistance(distanceMs: number): string {
  const seconds = distanceMs / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return seconds > 0 ? "in a moment" : "just now";
}
