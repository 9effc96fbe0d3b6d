// The service stores times in UTC; users see and type them in the time zone of their browser.

const format = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});

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
