import { showText, showAddress } from "./show-text.ts";

/** The result of parsing an invalid value. `detail` describes the invalid part, if it is known. */
export class InvalidValue {
  readonly detail: string | undefined;

  constructor(detail?: string) {
    this.detail = detail;
  }
}

/** How settings of one type are parsed and described. `Option` is what a program may set an option to. */
export interface SettingKind<T, Option = T> {
  /** Completes "must be …". */
  readonly allowed: string;
  /** Parses a text without spaces around it, of a variable or an option, or another value of an option. */
  parse(value: unknown): T | InvalidValue;
  /** Exists only in types. */
  readonly option?: Option;
}

/** Any number of entries, in code also as one text. */
export type ListKind<T = string> = SettingKind<readonly T[], string | readonly string[]>;

/** Creates a kind that is text. */
export function createTextKind<T, Option = string>(
  allowed: string,
  parse: (text: string) => T | InvalidValue,
): SettingKind<T, Option> {
  return {
    allowed,
    parse: (value) => (typeof value === "string" ? parse(value) : new InvalidValue()),
  };
}

interface Range {
  readonly min: number;
  readonly max: number;
  /** The unit, for example `milliseconds`. */
  readonly of?: string;
}

/** Creates a kind for integers within a range. */
export function createIntegerKind({ min, max, of }: Range): SettingKind<number> {
  return {
    allowed: `a whole number ${of === undefined ? "" : `of ${of} `}from ${min} to ${max}`,
    parse: (value) => {
      const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
      return typeof number === "number" &&
        Number.isInteger(number) &&
        number >= min &&
        number <= max
        ? number
        : new InvalidValue();
    },
  };
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** `true` or `false`, as text also `1` or `0`. */
export const booleanKind: SettingKind<boolean> = {
  allowed: "true or false (1 and 0 also work)",
  parse: (value) => {
    if (typeof value === "boolean") return value;
    const text = typeof value === "string" ? value.toLowerCase() : "";
    return BOOLEANS.get(text) ?? new InvalidValue();
  },
};

/** Creates a kind for a fixed set of words, in upper or lower case. */
export function createChoiceKind<const T extends string>(choices: readonly T[]): SettingKind<T> {
  return createTextKind<T, T>(
    `one of ${choices.join(", ")}`,
    (text) => choices.find((choice) => choice === text.toLowerCase()) ?? new InvalidValue(),
  );
}

const CONTROL_CHARACTER = /\p{Cc}/u;

/** One line of text that is not empty. */
export const textKind: SettingKind<string> = createTextKind(
  "one line of text that is not empty",
  (text) => (text === "" || CONTROL_CHARACTER.test(text) ? new InvalidValue() : text),
);

/** The path of a file or a directory. A URL is no path, and may contain a password. */
export const pathKind: SettingKind<string> = createTextKind(
  "a path in one line, not a URL",
  (text) => (text.includes("://") ? new InvalidValue() : textKind.parse(text)),
);

/** Printable ASCII: servers disagree about how to read other bytes in headers. */
const HEADER_VALUE = /^[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/;

/** Whether text can be sent as the value of an HTTP header, and has no spaces around it, which receivers remove. */
function isTrimmedHeaderValue(text: string): boolean {
  return HEADER_VALUE.test(text);
}

/** Text that can be sent as the value of an HTTP header. */
export const headerValueKind: SettingKind<string> = createTextKind(
  "printable ASCII characters, as it is sent in an HTTP header",
  (text) => (isTrimmedHeaderValue(text) ? text : new InvalidValue()),
);

interface ListRules<T> {
  readonly of: string;
  /** Parses one entry. The detail of an invalid entry completes "entry 2 …". */
  readonly parseEntry: (text: string) => T | InvalidValue;
  /** Whether messages must not show the entries. */
  readonly secret?: boolean;
  readonly atLeastOne?: boolean;
}

/** Creates a kind for a list of strings, or one comma-separated string. Blank entries are ignored. */
export function createListKind<T>(rules: ListRules<T>): ListKind<T> {
  const minimum = rules.atLeastOne === true ? ", at least one" : "";
  return {
    allowed: `a comma-separated list of ${rules.of}${minimum}`,
    parse: (value) => {
      const entries = toTexts(value);
      return entries === undefined ? new InvalidValue() : parseEntries(entries, rules);
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
    : Object.freeze([...values]);
}

const keyRules = {
  of: "keys of printable ASCII characters",
  secret: true,
  parseEntry: (text: string) =>
    isTrimmedHeaderValue(text)
      ? text
      : new InvalidValue("has a character that cannot be sent in a header"),
};

/** One or more keys that clients send in a header. */
export const keysKind: ListKind = createListKind({
  ...keyRules,
  atLeastOne: true,
});

/** Any number of keys that clients send in a header. */
export const tokensKind: ListKind = createListKind(keyRules);

/** An http or https address without a user name or password, so that it contains no secret. */
export const urlKind: SettingKind<string> = createTextKind(
  "a URL that starts with http:// or https:// and contains no user name, password or #",
  (text) => {
    const url = toHttpUrl(text);
    if (url === undefined || url.hash !== "") return rejectAddress(text);
    return url.username === "" && url.password === "" ? text : rejectAddress(text);
  },
);

/** Like `urlKind`, for an address to which paths are appended. */
export const baseUrlKind: SettingKind<string> = createTextKind(
  "a URL that starts with http:// or https:// and contains no user name, password, ? or #",
  (text) => {
    const address = urlKind.parse(text);
    return address instanceof InvalidValue || /[?#]/.test(address) ? rejectAddress(text) : address;
  },
);

/** A URL with an `@` after its host. The backslash ends the host of http and https addresses, too. */
const LATE_AT = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\\]+[/?#\\].*@/is;

/** The host of such a URL is usually part of a user name or password. So nothing of the value is shown. */
export function rejectLateAt(text: string): InvalidValue | undefined {
  if (!LATE_AT.test(text)) return undefined;
  return new InvalidValue(
    "it has an @ after the host: percent-encode special characters in the user name and the password (/ is %2F, ? is %3F, # is %23), and every other @ (%40)",
  );
}

/** Returns undefined unless the text is an absolute http or https address without white space. */
export function toHttpUrl(text: string): URL | undefined {
  const isHttp = /^https?:\/\//i.test(text) && !/\s/.test(text) && URL.canParse(text);
  return isHttp && rejectLateAt(text) === undefined ? new URL(text) : undefined;
}

/** NOTE: shows no credentials: they may be the reason why the address is rejected. */
function rejectAddress(text: string): InvalidValue {
  return new InvalidValue(`current value is ${showAddress(text)}`);
}
