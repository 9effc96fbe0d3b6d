import { type CustomStrategy, isRecord } from "flags-engine";
import { MAX_DELAY_MS } from "../scheduling/backoff.ts";
import type { StorageProvider } from "../storage/storage-provider.ts";
import { SYNCHRONIZATIONS } from "../sync/synchronizer.ts";
import type { Synchronization } from "../sync/synchronizer.ts";
import { isHeaderName, isHeaderValue } from "../transport/headers.ts";
import type { CustomHeadersFunction } from "../transport/headers.ts";
import type { Tag } from "./flags-client-options.ts";

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

  string(name: string): string | undefined {
    return this.check(name, (value) => typeof value === "string", "must be a string");
  }

  requiredString(name: string): string {
    const value = this.#get(name);
    if (typeof value === "string" && value !== "") return value;
    this.problem(name, "is required and must be a string");
    return "";
  }

  headerText(name: string): string | undefined {
    return this.check(name, isHeaderValue, "must be a string of printable ASCII characters");
  }

  boolean(name: string): boolean | undefined {
    return this.check(name, (value) => typeof value === "boolean", "must be true or false");
  }

  durationMs(name: string, minimum = 0): number | undefined {
    return this.check(
      name,
      (value) => isIntegerBetween(value, minimum, MAX_DELAY_MS),
      `must be a whole number of milliseconds from ${minimum} to ${MAX_DELAY_MS}`,
    );
  }

  /** Returns the value if it is undefined or passes the test; otherwise records a problem. */
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
    if (!this.#problems.some((other) => other.startsWith(`${this.#nameOf(name)} `)))
      this.#problems.push(problem);
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

function isIntegerBetween(value: unknown, minimum: number, maximum: number): value is number {
  return Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
}

export function isHttpUrl(value: unknown): value is string {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return (protocol === "http:" || protocol === "https:") && username === "" && password === "";
}

/** The URL of a proxy may contain a user name and a password. An empty string means no proxy. */
export function isProxyUrl(value: unknown): value is string {
  if (value === "") return true;
  return typeof value === "string" && URL.canParse(value) && /^https?:/i.test(value);
}

export function isHeaderRecord(value: unknown): value is Readonly<Record<string, string>> {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(([name, text]) => isHeaderName(name) && isHeaderValue(text));
}

export function isHeadersFunction(value: unknown): value is CustomHeadersFunction {
  return typeof value === "function";
}

export function isSynchronization(value: unknown): value is Synchronization {
  return SYNCHRONIZATIONS.some((name) => name === value);
}

export function isTagList(value: unknown): value is readonly Tag[] {
  return Array.isArray(value) && value.every(isTag);
}

function isTag(value: unknown): value is Tag {
  return isRecord(value) && typeof value["name"] === "string" && typeof value["value"] === "string";
}

export function isStrategyList(value: unknown): value is readonly CustomStrategy[] {
  return Array.isArray(value) && value.every(isStrategy);
}

function isStrategy(value: unknown): value is CustomStrategy {
  if (!isRecord(value)) return false;
  return typeof value["name"] === "string" && typeof value["isEnabled"] === "function";
}

export function isStorageProvider(value: unknown): value is StorageProvider {
  if (!isRecord(value)) return false;
  return typeof value["get"] === "function" && typeof value["set"] === "function";
}

export function isStringOrStrings(value: unknown): value is string | readonly string[] {
  const texts: unknown = typeof value === "string" ? [value] : value;
  return Array.isArray(texts) && texts.every((text) => typeof text === "string");
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
