import { MAX_DELAY_MS } from "../schedule/next-delay.ts";
import { isHeaderValue } from "../transport/header-map.ts";

/**
 * Reads options that may come from untyped code. It collects every problem instead of stopping at
 * the first; problems name the option and what it takes, never its value, which may be a secret.
 */
export class OptionReader {
  readonly #options: Readonly<Record<string, unknown>>;
  readonly #path: string;
  readonly #problems: string[];
  readonly #known = new Set<string>();

  constructor(options: unknown, path = "", problems: string[] = []) {
    this.#path = path;
    this.#problems = problems;
    this.#options = isRecord(options) ? options : {};
    if (!isRecord(options)) problems.push(`${path === "" ? "options" : path} must be an object`);
  }

  /** A reader for options within an option; absent ones read as empty. */
  nested(name: string): OptionReader {
    return new OptionReader(this.#get(name) ?? {}, this.#nameOf(name), this.#problems);
  }

  text(name: string): string | undefined {
    return this.check(name, (value) => typeof value === "string", "must be text");
  }

  requiredText(name: string): string {
    const value = this.#get(name);
    if (typeof value === "string" && value !== "") return value;
    this.problem(name, "must be given, as text");
    return "";
  }

  headerText(name: string): string | undefined {
    return this.check(name, isHeaderValue, "must be text of printable ASCII characters");
  }

  flag(name: string): boolean | undefined {
    return this.check(name, (value) => typeof value === "boolean", "must be true or false");
  }

  durationMs(name: string, minimum = 0): number | undefined {
    return this.check(
      name,
      (value) => isIntegerBetween(value, minimum, MAX_DELAY_MS),
      `must be a whole number of milliseconds from ${minimum} to ${MAX_DELAY_MS}`,
    );
  }

  /** Lets a value pass that fulfils the test; an absent one is undefined. */
  check<Value>(
    name: string,
    test: (value: unknown) => value is Value,
    rule: string,
  ): Value | undefined {
    const value = this.#get(name);
    if (value === undefined || test(value)) return value;
    this.problem(name, rule);
    return undefined;
  }

  problem(name: string, rule: string): void {
    const problem = `${this.#nameOf(name)} ${rule}`;
    if (!this.#problems.some((known) => known.startsWith(`${this.#nameOf(name)} `)))
      this.#problems.push(problem);
  }

  /** To be called when every option was read: what is left over is a mistake. */
  refuseUnknown(): void {
    for (const name of Object.keys(this.#options)) {
      if (!this.#known.has(name)) this.#problems.push(`${this.#nameOf(name)} is not an option`);
    }
  }

  /** Throws when anything was wrong, naming all of it. */
  throwProblems(): void {
    if (this.#problems.length === 0) return;
    throw new TypeError(`Cannot create a flags client: ${this.#problems.join("; ")}`);
  }

  #get(name: string): unknown {
    this.#known.add(name);
    return this.#options[name];
  }

  #nameOf(name: string): string {
    return this.#path === "" ? name : `${this.#path}.${name}`;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isIntegerBetween(value: unknown, minimum: number, maximum: number): value is number {
  return Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
}
