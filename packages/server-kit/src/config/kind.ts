import { isIP } from "node:net";

/** The result of parsing an invalid value. `detail` describes the invalid part, if it is known. */
export class InvalidValue {
  readonly detail: string | undefined;

  constructor(detail?: string) {
    this.detail = detail;
  }
}

/** How settings of one type are parsed and described. */
export interface Kind<T> {
  /** Completes "must be …" for an option that is set in code. */
  readonly allowed: string;
  /** Completes "must be …" for an environment variable, which is always text. */
  readonly allowedText: string;
  fromText(text: string): T | InvalidValue;
  fromValue(value: unknown): T | InvalidValue;
}

/** Creates a kind that is text both in code and in environment variables. */
export function createTextKind<T>(
  allowed: string,
  parse: (text: string) => T | InvalidValue,
): Kind<T> {
  return {
    allowed,
    allowedText: allowed,
    fromText: parse,
    fromValue: (value) => (typeof value === "string" ? parse(value.trim()) : new InvalidValue()),
  };
}

/** Creates a kind that can only be set in code. */
export function createValueKind<T>(
  allowed: string,
  fromValue: (value: unknown) => T | InvalidValue,
): Kind<T> {
  return { allowed, allowedText: allowed, fromText: () => new InvalidValue(), fromValue };
}

interface Range {
  readonly min: number;
  readonly max: number;
  /** The unit, for example `milliseconds`. */
  readonly of?: string;
}

/** Creates a kind for integers within a range. */
export function createIntegerKind({ min, max, of }: Range): Kind<number> {
  const allowed = `a whole number ${of === undefined ? "" : `of ${of} `}from ${min} to ${max}`;
  const fromValue = (value: unknown): number | InvalidValue =>
    typeof value === "number" && Number.isInteger(value) && value >= min && value <= max
      ? value
      : new InvalidValue();
  return {
    allowed,
    allowedText: allowed,
    fromText: (text) => (/^\d+$/.test(text) ? fromValue(Number(text)) : new InvalidValue()),
    fromValue,
  };
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** `true` or `false`. Environment variables may also be `1` or `0`. */
export const booleanKind: Kind<boolean> = {
  allowed: "true or false",
  allowedText: "true or false (1 and 0 also work)",
  fromText: (text) => BOOLEANS.get(text.toLowerCase()) ?? new InvalidValue(),
  fromValue: (value) => (typeof value === "boolean" ? value : new InvalidValue()),
};

/** Creates a kind for a fixed set of words, in upper or lower case. */
export function createChoiceKind<const T extends string>(choices: readonly T[]): Kind<T> {
  return createTextKind(
    `one of ${choices.join(", ")}`,
    (text) => choices.find((choice) => choice === text.toLowerCase()) ?? new InvalidValue(),
  );
}

const CONTROL_CHARACTER = /\p{Cc}/u;

/** One line of text that is not empty. */
export const textKind: Kind<string> = createTextKind("one line of text that is not empty", (text) =>
  text === "" || CONTROL_CHARACTER.test(text) ? new InvalidValue() : text,
);

/** A host name or an IP address. */
export const hostKind: Kind<string> = createTextKind("a host name or an IP address", (text) =>
  isIP(text) !== 0 || /^[\w-]+(?:\.[\w-]+)*$/.test(text) ? text : new InvalidValue(),
);

/** Printable ASCII: servers disagree about how to read other bytes in headers. */
const HEADER_VALUE = /^[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/;

/** Whether text can be sent as the value of an HTTP header. */
export function isHeaderValue(text: string): boolean {
  return HEADER_VALUE.test(text);
}

/** Text that can be sent as the value of an HTTP header. */
export const headerValueKind: Kind<string> = createTextKind(
  "printable ASCII characters, as it is sent in an HTTP header",
  (text) => (isHeaderValue(text) ? text : new InvalidValue()),
);
