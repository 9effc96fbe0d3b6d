import { InvalidValue, isHeaderValue, type Kind } from "./kind.ts";
import { showText } from "./show-text.ts";

interface ListRules<T> {
  /** Name of the entries, in the plural. */
  readonly of: string;
  /** Parses one entry. The detail of an invalid entry completes "entry 2 …". */
  readonly parseEntry: (text: string) => T | InvalidValue;
  /** Whether messages must not show the entries. */
  readonly secret?: boolean;
  readonly atLeastOne?: boolean;
}

/** Creates a kind for a list of strings, or one comma-separated string. Blank entries are ignored. */
export function createListKind<T>(rules: ListRules<T>): Kind<readonly T[]> {
  const parse = (entries: readonly string[]): readonly T[] | InvalidValue =>
    parseEntries(entries, rules);
  const minimum = rules.atLeastOne === true ? ", at least one" : "";
  return {
    allowed: `a list of ${rules.of}${minimum}`,
    allowedText: `a comma-separated list of ${rules.of}${minimum}`,
    fromText: (text) => parse(text.split(",")),
    fromValue: (value) => {
      const entries = toTexts(value);
      return entries === undefined ? new InvalidValue() : parse(entries);
    },
  };
}

/** Returns the entries of a list that is set in code; undefined if the value is not such a list. */
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
      return new InvalidValue(`${subject} ${value.detail ?? "is not valid"}`);
    }
    values.add(value);
  }
  return values.size === 0 && rules.atLeastOne === true
    ? new InvalidValue("it is empty")
    : [...values];
}

const keyRules = {
  of: "keys of printable ASCII characters",
  secret: true,
  parseEntry: (text: string) =>
    isHeaderValue(text)
      ? text
      : new InvalidValue("has a character that cannot be sent in a header"),
};

/** One or more keys that clients send in a header. */
export const keysKind: Kind<readonly string[]> = createListKind({ ...keyRules, atLeastOne: true });

/** Any number of keys that clients send in a header. */
export const tokensKind: Kind<readonly string[]> = createListKind(keyRules);
