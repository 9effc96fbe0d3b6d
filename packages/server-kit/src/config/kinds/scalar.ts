import { createTextKind, InvalidValue, type Kind } from "./kind.ts";

interface Range {
  readonly min: number;
  readonly max: number;
  /** Completes "a whole number …", for example "of milliseconds". */
  readonly of?: string;
}

/** A whole number within a range. */
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

/** `true` or `false`; variables may also say `1` or `0`. */
export const booleanKind: Kind<boolean> = {
  allowed: "true or false",
  allowedText: "true or false (1 and 0 will do as well)",
  fromText: (text) => BOOLEANS.get(text.toLowerCase()) ?? new InvalidValue(),
  fromValue: (value) => (typeof value === "boolean" ? value : new InvalidValue()),
};

/** One of a few words, in any case. */
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
