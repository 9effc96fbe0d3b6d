import { isRecord, tryDecode } from "flags-server-kit/neutral";
import { badField, type Problem } from "../http/errors.ts";

/** The context fields that Unleash defines; every other field is a property. */
export const STANDARD_FIELDS = [
  "appName",
  "userId",
  "sessionId",
  "environment",
  "remoteAddress",
  "currentTime",
] as const;

type StandardField = (typeof STANDARD_FIELDS)[number];

const standardFields: ReadonlySet<string> = new Set(STANDARD_FIELDS);

export function isStandardField(name: string): name is StandardField {
  return standardFields.has(name);
}

/** A context as a client sent it, in a query or a body. All values are strings. */
export interface SentContext {
  readonly fields: Readonly<Partial<Record<StandardField, string>>>;
  /** Has no prototype, so that any name is safe. */
  readonly properties: Readonly<Record<string, string>>;
}

/** Collects fields and properties. A value with the same name as another is appended to it, after a comma. */
class SentContextBuilder {
  readonly #fields: Partial<Record<StandardField, string>> = {};
  // NOTE: no prototype, so that a client may call a property `__proto__`.
  readonly #properties: Record<string, string> = Object.create(null);
  #bareProperties: Record<string, string> | undefined;

  /** Adds a value sent by its bare name. Unknown names are properties. */
  addField(name: string, value: string): void {
    append(this.#recordOf(name), name, value);
  }

  /** Adds a value sent as a property. It takes precedence over one sent by its bare name. */
  addProperty(name: string, value: string): void {
    append(this.#properties, name, value);
  }

  build(): SentContext {
    const fields = this.#fields;
    if (this.#bareProperties === undefined) return { fields, properties: this.#properties };
    return { fields, properties: Object.assign(this.#bareProperties, this.#properties) };
  }

  #recordOf(name: string): Record<string, string> {
    if (isStandardField(name)) return this.#fields;
    this.#bareProperties ??= Object.create(null) as Record<string, string>;
    return this.#bareProperties;
  }
}

function append(record: Record<string, string>, name: string, value: string): void {
  const existing = record[name];
  record[name] = existing === undefined ? value : `${existing},${value}`;
}

/**
 * Reads a context from the query of a URL. The values of a repeated parameter are joined, as in the upstream, so nobody can
 * override one that a gateway has added.
 *
 * @throws {HttpError} a 400 that names the invalid parameter, unless invalid ones are ignored
 */
export function parseQueryContext(
  url: string,
  { ignoresInvalidValues = false }: { readonly ignoresInvalidValues?: boolean } = {},
): SentContext {
  const context = new SentContextBuilder();
  const queryMark = url.indexOf("?");
  if (queryMark === -1) return context.build();
  let start = queryMark + 1;
  // NOTE: `split()` would make this a third slower.
  while (start <= url.length) {
    const ampersand = url.indexOf("&", start);
    const end = ampersand === -1 ? url.length : ampersand;
    const problem = addParameter(context, url.slice(start, end));
    if (problem !== undefined && !ignoresInvalidValues) {
      throw badField(problem.path, problem.message);
    }
    start = end + 1;
  }
  return context.build();
}

/** Adds a parameter, or returns why it cannot be read. */
function addParameter(context: SentContextBuilder, parameter: string): Problem | undefined {
  const separator = parameter.indexOf("=");
  const end = separator === -1 ? parameter.length : separator;
  const encodedName = parameter.slice(0, end);
  const name = decode(encodedName);
  const value = decode(parameter.slice(end + 1));
  if (name === undefined || value === undefined) {
    const message = "is not valid percent-encoding: write a literal `%` as `%25`";
    return { path: name ?? encodedName, message };
  }
  if (name === "") return undefined;
  if (name !== "properties" && !name.startsWith(PROPERTY_START)) {
    context.addField(name, value);
    return undefined;
  }
  const message = findNameProblem(name);
  if (message !== undefined) return { path: name, message };
  context.addProperty(name.slice(PROPERTY_START.length, -1), value);
  return undefined;
}

const PROPERTY_START = "properties[";

/** Returns what is wrong with the name of a property, which has to be `properties[name]`. */
function findNameProblem(name: string): string | undefined {
  if (name === "properties") return "must be given one by one, as `properties[name]=value`";
  if (!name.endsWith("]") || name === `${PROPERTY_START}]`) {
    return "must be written as `properties[name]=value`";
  }
  return name.includes("][", PROPERTY_START.length)
    ? "must be a single value: properties are flat"
    : undefined;
}

function decode(text: string): string | undefined {
  const withSpaces = text.includes("+") ? text.replaceAll("+", " ") : text;
  return text.includes("%") ? tryDecode(withSpaces) : withSpaces;
}

type JsonContext = Readonly<Record<string, unknown>>;

/** Reads a context from a validated JSON body. Objects, lists and null are ignored where the schema allows them. */
export function readContext({ properties, ...fields }: JsonContext): SentContext {
  const context = new SentContextBuilder();
  for (const [name, value] of Object.entries(fields)) {
    if (isSingleValue(value)) context.addField(name, toFieldText(name, value));
  }
  for (const [name, value] of isRecord(properties) ? Object.entries(properties) : []) {
    if (isSingleValue(value)) context.addProperty(name, String(value));
  }
  return context.build();
}

/** Whether a context field can have this value; objects, lists, null and 1e999 are not values. */
export function isSingleValue(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** Converts the value of a field to text. A number in `currentTime` is in epoch milliseconds. */
function toFieldText(name: string, value: string | number | boolean): string {
  if (name !== "currentTime" || typeof value !== "number") return String(value);
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? String(value) : time.toISOString();
}
