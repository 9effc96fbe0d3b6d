import { isOperatorName, OPERATORS } from "flags-engine";

/** Whether a string cannot be quoted in a rule: the official SDKs with a native engine put it in quotes without escaping it. */
export function breaksQuotes(text: string): boolean {
  return /"|\\$/.test(text);
}

const DECIMAL = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Whether the SDKs of all languages read a string as the same finite number. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text) && Number.isFinite(Number(text));
}

/** Returns a value in the form that the SDKs of all languages read; an invalid value stays as it is. */
export function toStoredValue(operator: string, value: string): string {
  const kind = isOperatorName(operator) ? OPERATORS[operator].kind : undefined;
  if (kind === "number") return value.replace(/^([+-]?)\./, "$10.");
  return kind === "date" ? (toTime(value) ?? value) : value;
}

/** A date or date-time of RFC 3339. */
const TIME_FORMAT =
  /^(\d{4}-\d\d-\d\d)(?:T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/** Returns a time as UTC with milliseconds; undefined if it does not exist, or is not in a year with four digits. */
export function toTime(text: string): string | undefined {
  const [, day = ""] = TIME_FORMAT.exec(text) ?? [];
  const midnight = new Date(day);
  // A day that a month does not have becomes one of the next month.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return undefined;
  const time = new Date(text).toISOString();
  return /^\d/.test(time) ? time : undefined;
}
