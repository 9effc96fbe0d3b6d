import { showText } from "../show-text.ts";
import { InvalidValue, type Kind } from "./kind.ts";

interface ListRules<T> {
  /** What the entries are, in the plural. */
  readonly of: string;
  /** Reads one entry; the detail of its flaw says what is wrong with it. */
  readonly parseEntry: (text: string) => T | InvalidValue;
  /** The entries must not be shown. */
  readonly secret?: boolean;
  readonly atLeastOne?: boolean;
}

/** A list of texts, or one text with commas in between. Blank entries are left out. */
export function createListKind<T>(rules: ListRules<T>): Kind<readonly T[]> {
  const parse = (entries: readonly string[]): readonly T[] | InvalidValue =>
    parseEntries(entries, rules);
  const few = rules.atLeastOne === true ? ", at least one" : "";
  return {
    allowed: `a list of ${rules.of}${few}`,
    allowedText: `a comma-separated list of ${rules.of}${few}`,
    fromText: (text) => parse(text.split(",")),
    fromValue: (value) => {
      const entries = toTexts(value);
      return entries === undefined ? new InvalidValue() : parse(entries);
    },
  };
}

/** The entries of a list given in code; undefined when it is anything else. */
export function toTexts(value: unknown): readonly string[] | undefined {
  if (typeof value === "string") return value.split(",");
  return Array.isArray(value) && value.every((entry) => typeof entry === "string")
    ? value
    : undefined;
}

function parseEntries<T>(
  texts: readonly string[],
  rules: ListRules<T>,
): readonly T[] | InvalidValue {
  const values = new Set<T>();
  for (const [index, text] of texts.entries()) {
    const entry = text.trim();
    if (entry === "") continue;
    const value = rules.parseEntry(entry);
    if (value instanceof InvalidValue) {
      const subject = rules.secret === true ? `entry ${index + 1}` : `entry ${showText(entry)}`;
      return new InvalidValue(`${subject} ${value.detail ?? "is none"}`);
    }
    values.add(value);
  }
  return values.size === 0 && rules.atLeastOne === true
    ? new InvalidValue("it is empty")
    : [...values];
}
