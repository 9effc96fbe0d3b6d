/** Says that a value cannot be accepted; `detail` names the part at fault, if there is one. */
export class InvalidValue {
  readonly detail: string | undefined;

  constructor(detail?: string) {
    this.detail = detail;
  }
}

/** How one sort of setting is read and what it may be. */
export interface Kind<T> {
  /** Completes "must be …" for an option set in code. */
  readonly allowed: string;
  /** The same for a variable of the environment, which is always text. */
  readonly allowedText: string;
  fromText(text: string): T | InvalidValue;
  fromValue(value: unknown): T | InvalidValue;
}

/** A kind that is text in code as well as in the environment. */
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

/** A kind that can be set in code only. */
export function createValueKind<T>(
  allowed: string,
  fromValue: (value: unknown) => T | InvalidValue,
): Kind<T> {
  return { allowed, allowedText: allowed, fromText: () => new InvalidValue(), fromValue };
}
