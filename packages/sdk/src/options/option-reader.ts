import { isRecord } from "flags-engine";

/** Which values an option may have. */
export interface Rule<Value> {
  /** Completes a sentence that begins with the name of the option. */
  readonly says: string;
  readonly allows: (value: unknown) => value is Value;
}

/**
 * Reads options that may come from untyped code. Collects all problems instead of stopping at the
 * first one. Problems name the option and the expected value, never the actual value, which may be a
 * secret.
 */
export class OptionReader {
  readonly #options: Readonly<Record<string, unknown>>;
  readonly #path: string;
  readonly #problems: string[];
  readonly #readNames = new Set<string>();

  constructor(options: unknown, path = "", problems: string[] = []) {
    this.#path = path;
    this.#problems = problems;
    this.#options = isRecord(options) ? options : {};
    if (!isRecord(options)) problems.push(`${path === "" ? "options" : path} must be an object`);
  }

  /** Returns a reader for the members of an option; an undefined option has no members. */
  nested(name: string): OptionReader {
    return new OptionReader(this.#get(name) ?? {}, this.#nameOf(name), this.#problems);
  }

  /** Returns the value; undefined if it is not set, or not allowed. */
  read<Value>(name: string, { allows, says }: Rule<Value>): Value | undefined {
    const value = this.#get(name);
    if (value === undefined || allows(value)) return value;
    this.#problems.push(`${this.#nameOf(name)} ${says}`);
    return undefined;
  }

  /** Returns the value; an empty string if it is not set, or not allowed. */
  readRequired(name: string, rule: Rule<string>): string {
    const value = this.#get(name);
    if (typeof value === "string" && value !== "") return this.read(name, rule) ?? "";
    this.#problems.push(`${this.#nameOf(name)} is required and must be a string`);
    return "";
  }

  /** Must be called after all options were read: records a problem for each remaining one. */
  rejectUnknown(): void {
    for (const name of Object.keys(this.#options)) {
      if (!this.#readNames.has(name)) this.#problems.push(`${this.#nameOf(name)} is not an option`);
    }
  }

  /** Throws a `TypeError` with all problems, if there are any. */
  throwProblems(): void {
    if (this.#problems.length === 0) return;
    throw new TypeError(`Cannot create a flags client: ${this.#problems.join("; ")}`);
  }

  #get(name: string): unknown {
    this.#readNames.add(name);
    return this.#options[name];
  }

  #nameOf(name: string): string {
    return this.#path === "" ? name : `${this.#path}.${name}`;
  }
}
