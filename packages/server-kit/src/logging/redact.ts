export const REDACTED = "[redacted]";

type Redact = (value: unknown) => unknown;

/** Headers whose values are never logged, whether or not they contain a configured key. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "proxy-authorization",
  "set-cookie",
  "x-api-key",
]);

/** Shorter secrets are also ordinary words: the text would become unreadable. */
const MIN_LENGTH = 3;

/** Shorter secrets also occur inside ordinary words, so only whole words match them. */
const MIN_LENGTH_IN_WORDS = 6;

/** Creates a function that removes the given secrets, also URL-encoded, and secrets of tokens from any value. */
export function createRedact(secrets: readonly string[]): Redact {
  const pattern = toPattern(secrets);
  const redactText = (text: string): string =>
    redactTokens(pattern === undefined ? text : text.replace(pattern, REDACTED));
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
      .filter((secret) => secret.length >= MIN_LENGTH)
      .flatMap((secret) => [secret, encodeURIComponent(secret)]),
  );
  if (forms.size === 0) return undefined;
  // Longest first, since one secret may be the beginning of another.
  const sources = [...forms].toSorted((a, b) => b.length - a.length).map(toSource);
  return new RegExp(sources.join("|"), "g");
}

function toSource(secret: string): string {
  const source = secret.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  return secret.length < MIN_LENGTH_IN_WORDS ? `(?<![\\w-])${source}(?![\\w-])` : source;
}

const HIDDEN_KEYS: readonly string[] = ["name", "message", "stack", "cause", "errors"];

function redactError(error: Error, redact: Redact): Error {
  // NOTE: the getters of a DOMException, such as a timeout, throw if they are called on another object.
  const prototype: unknown =
    error instanceof DOMException ? Error.prototype : Object.getPrototypeOf(error);
  const copy = Object.create(prototype as object | null) as Error;
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

const COLON = "(?::|%3A)";
const WILDCARD = String.raw`(?:\*|%2A|\[\]|%5B%5D)`;
const NAME = String.raw`[\w.~-]+`;

/**
 * A token for all or several projects. No other text has this form, so a secret may have any length.
 * The word `secret` is an exception, since messages use it to describe the form.
 */
const WIDE_TOKEN = String.raw`${WILDCARD}${COLON}(?:${WILDCARD}|${NAME})\.(?=[\w-])(?!secret(?![\w-]))`;

/**
 * A token for one project. Shorter secrets, and secrets with a dot, would also match times of day,
 * host names with a port and lists of DNS names.
 *
 * NOTE: a match can only begin where a name begins, so that matching a long text takes linear time.
 */
const PROJECT_TOKEN = String.raw`(?<![\w.~-])${NAME}${COLON}${NAME}\.(?=[\w-]{12,}(?![\w-]|\.\w))`;

const PERSONAL_TOKEN = String.raw`(?<![\w-])user${COLON}(?=[\w-]{20,})`;

/** The secret of a token in the newer format, with or without a scope before it. */
const V2_SECRET = String.raw`(?=v2_[\w-]{22}_[\w-]{43})`;

const TOKEN = new RegExp(
  String.raw`(${WIDE_TOKEN}|${PROJECT_TOKEN}|${PERSONAL_TOKEN}|${V2_SECRET})[\w-]+`,
  "gi",
);

/** Replaces the secret of everything that looks like an Unleash API token. Its scope remains, to identify it. */
export function redactTokens(text: string): string {
  return text.replace(TOKEN, (_token, scope: string) => scope + REDACTED);
}
