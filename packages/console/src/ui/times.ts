// The service stores times in UTC; users see and type them in the time zone of their browser.

const format = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});

const utcFormat = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
  timeZoneName: "short",
});

/** Writes a point in time in the time zone of the browser and, if that is another one, in UTC. @param text ISO 8601 */
export function formatTimeWithUtc(text: string): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  const [local, utc] = [format.format(date), utcFormat.format(date)];
  return local === utc ? utc : `${local} (${utc})`;
}

/** Writes a point in time, for example "12 Mar 2026, 10:00 CET". Any other text is returned as it is. @param text ISO 8601 */
export function formatTime(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : format.format(date);
}

/** Converts ISO 8601 to the value of a field for date and time; "" if it is no time. */
export function toLocalTime(text: string): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return "";
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  const [time = ""] = local.toISOString().split(".");
  return time.endsWith(":00") ? time.slice(0, -3) : time;
}

/** Converts the value of a field for date and time to ISO 8601 in UTC; "" if it is incomplete. */
export function fromLocalTime(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Describes a distance in time in words, for example "3 days ago". */
export function describeDistance(distanceMs: number): string {
  const seconds = distanceMs / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return seconds > 0 ? "in a moment" : "just now";
}
