import { isAddressOrRange } from "../../../engine/src/constraints/address-text.ts";
import type { ValueKind } from "../../../engine/src/constraints/operator-table.ts";
import { formatCount } from "../ui/numbers.ts";

/** Splits pasted text at commas and line breaks. Removes spaces and quotes around values, and empty values. */
export function parseValues(text: string): readonly string[] {
  return distinct(text.split(/[,;\t\r\n]+/).map(unquote));
}

/** Splits text with one value per line, so that values can contain commas. */
export function parseLines(text: string): readonly string[] {
  return distinct(text.split(/\r\n|\r|\n/).map((line) => line.trim()));
}

/**
 * Finds values that look like several, with spaces, commas or semicolons between them.
 *
 * @param known values that are right as they are
 */
export function splitValues(values: readonly string[], known: readonly string[]) {
  const right = new Set(known);
  const all = values.map((value) => ({
    value,
    parts: right.has(value) ? [value] : distinct(value.split(/[\s,;]+/).map(unquote)),
  }));
  const joined = all.filter(({ parts }) => parts.length > 1);
  return {
    joined: joined.map(({ value }) => value),
    /** What they would become. */
    parts: distinct(joined.flatMap(({ parts }) => parts)),
    /** All values, with these split. */
    split: distinct(all.flatMap(({ value, parts }) => (parts.length > 1 ? parts : value))),
  };
}

function unquote(text: string): string {
  const trimmed = text.trim();
  return /^(["']).*\1$/.test(trimmed) ? trimmed.slice(1, -1).trim() : trimmed;
}

/** Returns both lists as one, without duplicates. */
export function withValues(values: readonly string[], added: readonly string[]): readonly string[] {
  return distinct([...values, ...added]);
}

/** Whether a value contains a text, ignoring case and spaces around it. */
export function containsText(value: string, text: string): boolean {
  return value.toLowerCase().includes(text.trim().toLowerCase());
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].filter((value) => value !== "");
}

/** Limits of the service. */
const MAX_VALUES = 250;
const MAX_VALUES_IN_SEGMENT = 10_000;
const MAX_VALUE_LENGTH = 100;
export const MAX_CONSTRAINTS = 30;

/** Semantic Versioning 2.0.0, without a leading "v". */
const VERSION =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][\w-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][\w-]*))*)?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/;

/** A number that the SDKs of all languages can read. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Returns what is wrong with a value of a constraint; undefined if it is valid. */
export function describeValueProblem(kind: ValueKind, value: string): string | undefined {
  return value.trim() === "" ? EMPTY[kind] : CHECKS[kind](value);
}

const EMPTY: Readonly<Record<ValueKind, string>> = {
  strings: "Add at least one value.",
  addressRanges: "Add at least one address or range.",
  number: "Enter a number, for example 5 or 0.25.",
  date: "Choose a date and a time.",
  version: "Enter a complete version, for example 1.2.3 or 1.2.3-beta.1.",
  pattern: "Enter a pattern, for example ^[a-z]+$.",
};

/** Each describes what is wrong with a value that is not empty. */
const CHECKS: Readonly<Record<ValueKind, (value: string) => string | undefined>> = {
  strings: () => undefined,
  addressRanges: describeAddressProblem,
  number: (value) => (DECIMAL.test(value) ? undefined : EMPTY.number),
  date: (value) => (Number.isNaN(Date.parse(value)) ? EMPTY.date : undefined),
  version: (value) => (VERSION.test(value) ? undefined : EMPTY.version),
  pattern: describePatternProblem,
};

function describeAddressProblem(value: string): string | undefined {
  if (isAddressOrRange(value)) return undefined;
  return `${value} is not an IP address or range. Examples: 10.0.0.0/8, 192.168.1.7, 2001:db8::/32.`;
}

/** NOTE: patterns are in RE2 syntax, which only the service can check completely. */
function describePatternProblem(pattern: string): string | undefined {
  if (/\(\?<?[=!]/.test(pattern)) {
    return "Patterns cannot look ahead or behind: (?=, (?!, (?<= and (?<! are not supported.";
  }
  return undefined;
}

/** Returns how many values a list can have, which depends on whether it is part of a segment. */
export function maxValuesOf(operator: string, isInSegment: boolean): number {
  const canBeLong = isInSegment && (operator === "IN" || operator === "NOT_IN");
  return canBeLong ? MAX_VALUES_IN_SEGMENT : MAX_VALUES;
}

/** From how many values on the size of a list matters to those who download it. */
const LARGE_LIST = 1000;

/** Says what a long list costs in each download, in UTF-8; undefined for a short one. */
export function describeDownload(values: readonly string[]): string | undefined {
  if (values.length < LARGE_LIST) return undefined;
  const bytes = new TextEncoder().encode(JSON.stringify(values)).length;
  return `Adds ${formatCount(Math.ceil(bytes / 1000))} kB, before compression, to each download of the flags: once for SDKs that support segments, once per strategy for others.`;
}

interface ListRules {
  readonly kind: ValueKind;
  /** The only values that the context field allows. Empty if it allows all. */
  readonly legalValues: readonly string[];
  /** @default the limit of constraints */
  readonly maxValues?: number;
}

/** Returns what is wrong with the values of a constraint; undefined if they are valid. */
export function describeListProblem(
  values: readonly string[],
  { kind, legalValues, maxValues = MAX_VALUES }: ListRules,
): string | undefined {
  if (values.length === 0) return EMPTY[kind];
  if (values.length > maxValues) {
    const hint =
      maxValues === MAX_VALUES
        ? ` Put it into a segment, where "is one of" and "is not one of" accept ${formatCount(MAX_VALUES_IN_SEGMENT)}.`
        : "";
    return `A list has at most ${formatCount(maxValues)} values; these are ${formatCount(values.length)}.${hint}`;
  }
  const long = values.find((value) => value.length > MAX_VALUE_LENGTH);
  if (long !== undefined) {
    return `A value has at most ${MAX_VALUE_LENGTH} characters: ${long.slice(0, 30)}… is longer.`;
  }
  const problem = values.map(CHECKS[kind]).find((each) => each !== undefined);
  return problem ?? describeIllegalValues(values, legalValues);
}

/** Returns which values a context field does not allow; undefined if it allows all of them. */
export function describeIllegalValues(
  values: readonly string[],
  legalValues: readonly string[],
): string | undefined {
  if (legalValues.length === 0) return undefined;
  const legal = new Set(legalValues);
  const illegal = values.filter((value) => !legal.has(value));
  if (illegal.length === 0) return undefined;
  const shown = illegal.slice(0, 3).join(", ");
  const further = illegal.length > 3 ? ` and ${formatCount(illegal.length - 3)} more` : "";
  return `The context field does not allow ${shown}${further}.`;
}
