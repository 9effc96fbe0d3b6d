import { redactTokens } from "./token-text.ts";

/** Stands wherever a secret was. */
export const REDACTED = "[redacted]";

/** Returns a copy of a value, of whatever shape, without the secrets. */
export type Redact = (value: unknown) => unknown;

/** Headers whose values are nobody's business, whether or not they hold a configured key. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "proxy-authorization",
  "set-cookie",
  "x-api-key",
]);

/** Shorter secrets also occur inside ordinary words, so they count as whole words only. */
const MIN_LENGTH_IN_WORDS = 6;

/**
 * Creates a function that removes these texts from strings, errors, lists and objects, as they are
 * and in the form they have in URLs, and the secrets of everything that looks like an API token.
 */
export function createRedact(secrets: readonly string[]): Redact {
  const pattern = toPattern(secrets);
  const redactText = (text: string): string =>
    redactTokens(pattern === undefined ? text : text.replace(pattern, REDACTED), REDACTED);
  return (value) => redactValue(value, redactText, new WeakSet());
}

function redactValue(
  value: unknown,
  redactText: (text: string) => string,
  seen: WeakSet<object>,
): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value !== "object" || value === null) return value;
  if (seen.has(value)) return "[see above]";
  seen.add(value);
  const redact: Redact = (part) => redactValue(part, redactText, seen);
  if (value instanceof Error) return redactError(value, redact);
  if (Array.isArray(value)) return value.map(redact);
  if ("toJSON" in value && typeof value.toJSON === "function") return redact(value.toJSON());
  return redactRecord(value, redact);
}

function toPattern(secrets: readonly string[]): RegExp | undefined {
  const forms = new Set(
    secrets
      .filter((secret) => secret !== "")
      .flatMap((secret) => [secret, encodeURIComponent(secret)]),
  );
  if (forms.size === 0) return undefined;
  // The longest first, since one secret may begin another.
  const sources = [...forms].toSorted((a, b) => b.length - a.length).map(toSource);
  return new RegExp(sources.join("|"), "g");
}

function toSource(secret: string): string {
  const source = secret.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  return secret.length < MIN_LENGTH_IN_WORDS ? `(?<![\\w-])${source}(?![\\w-])` : source;
}

/** What an error has besides the keys that can be listed. */
const HIDDEN_KEYS: readonly string[] = ["name", "message", "stack", "cause", "errors"];

function redactError(error: Error, redact: Redact): Error {
  const copy = Object.create(Object.getPrototypeOf(error) as object | null) as Error;
  const keys = Object.keys(error);
  for (const key of new Set([...keys, ...HIDDEN_KEYS])) {
    const value: unknown = Reflect.get(error, key);
    if (value === undefined) continue;
    Object.defineProperty(copy, key, {
      value: redact(value),
      configurable: true,
      enumerable: keys.includes(key),
      writable: true,
    });
  }
  return copy;
}

function redactRecord(record: object, redact: Redact): Record<string, unknown> {
  const entries = Object.entries(record).map(([key, value]) => [
    redact(key),
    SECRET_HEADERS.has(key.toLowerCase()) ? REDACTED : redact(value),
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}
