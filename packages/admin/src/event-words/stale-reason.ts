import type { StaleReason } from "../storage/schema/lifecycles.ts";
import { fieldsOf, listAt, textAt } from "./recorded-state.ts";

const dayFormat = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});
const conjunction = new Intl.ListFormat("en-GB", { type: "conjunction" });

/** Writes a day in UTC, for example "3 Jun 2026". @param text ISO 8601; any other text is returned as it is */
export function formatDay(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : dayFormat.format(date);
}

/** Says what applications have reported, for example "On for everyone in production since 3 Jun 2026". */
export function describeReason({ kind, since, environments, value }: StaleReason): string {
  const day = formatDay(since);
  if (kind === "unused") return `Not used since ${day}`;
  const where = `in ${conjunction.format(environments)} since ${day}`;
  if (value?.variant !== undefined) return `Variant “${value.variant}” for everyone ${where}`;
  return `${value?.enabled === true ? "On" : "Off"} for everyone ${where}`;
}

/** Says the same about the reason in an event, within a sentence. */
export function describeRecordedReason(data: unknown): string {
  const reason = fieldsOf(fieldsOf(data)["reason"]);
  const { enabled, variant } = fieldsOf(reason["value"]);
  const words = describeReason({
    kind: reason["kind"] === "unused" ? "unused" : "constant",
    since: textAt(reason, "since"),
    environments: listAt(reason, "environments").filter((name) => typeof name === "string"),
    value: { enabled: enabled === true, ...(typeof variant === "string" && { variant }) },
  });
  return lowerCaseFirst(words);
}

/** Returns a sentence as it stands within another one. */
export function lowerCaseFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
