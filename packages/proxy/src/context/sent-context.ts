import { badField } from "../errors.ts";

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

/** Whether a name is that of a field, not of a property. */
export function isStandardField(name: string): name is StandardField {
  return standardFields.has(name);
}

/** A context as a client sent it, in a query or a body. All values are text. */
export interface SentContext {
  readonly fields: Readonly<Partial<Record<StandardField, string>>>;
  /** Has no prototype, so that any name is safe. */
  readonly properties: Readonly<Record<string, string>>;
}

/** Builds a context from fields and properties in the order in which they were sent. */
export class SentContextBuilder {
  readonly #fields: Partial<Record<StandardField, string>> = {};
  // NOTE: no prototype, so that a client may call a property `__proto__`.
  readonly #properties: Record<string, string> = Object.create(null);
  #bareProperties: Record<string, string> | undefined;

  /** Adds a value sent by its bare name, unless it has one already. Unknown names are properties. */
  addField(name: string, value: string): void {
    this.#recordOf(name)[name] ??= value;
  }

  /** Like `addField()`, for a value sent as a property. It takes precedence over one sent by its bare name. */
  addProperty(name: string, value: string): void {
    this.#properties[name] ??= value;
  }

  /** Like `addField()`, but appends to an existing value, after a comma. */
  appendField(name: string, value: string): void {
    append(this.#recordOf(name), name, value);
  }

  /** Like `addProperty()`, but appends to an existing value, after a comma. */
  appendProperty(name: string, value: string): void {
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
 * Reads a context from the query of a URL. The values of a repeated parameter are joined with a comma,
 * as the upstream does: none of them takes precedence, so nobody can override a parameter that a
 * gateway has added.
 *
 * @throws {HttpError} a 400 that names the invalid parameter
 */
export function parseQueryContext(url: string): SentContext {
  const context = new SentContextBuilder();
  const queryMark = url.indexOf("?");
  if (queryMark === -1) return context.build();
  let start = queryMark + 1;
  // NOTE: `split()` would make this a third slower.
  while (start <= url.length) {
    const ampersand = url.indexOf("&", start);
    const end = ampersand === -1 ? url.length : ampersand;
    addParameter(context, url.slice(start, end));
    start = end + 1;
  }
  return context.build();
}

function addParameter(context: SentContextBuilder, parameter: string): void {
  const separator = parameter.indexOf("=");
  const end = separator === -1 ? parameter.length : separator;
  const encodedName = parameter.slice(0, end);
  const name = decode(encodedName, encodedName);
  const property = toPropertyName(name);
  const value = decode(parameter.slice(end + 1), name);
  if (name === "") return;
  if (property === undefined) context.appendField(name, value);
  else context.appendProperty(property, value);
}

const PROPERTY_START = "properties[";

/** Returns the name of the property if a parameter is called `properties[name]`. */
function toPropertyName(name: string): string | undefined {
  if (name === "properties") {
    throw badField(name, "must be given one by one, as `properties[name]=value`");
  }
  if (!name.startsWith(PROPERTY_START)) return undefined;
  const property = name.slice(PROPERTY_START.length, -1);
  if (!name.endsWith("]") || property === "") {
    throw badField(name, "must be written as `properties[name]=value`");
  }
  if (property.includes("][")) throw badField(name, "must be a single value: properties are flat");
  return property;
}

/** Decodes a name or a value, and throws a 400 that names the parameter if it cannot. */
function decode(text: string, parameter: string): string {
  const withSpaces = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!text.includes("%")) return withSpaces;
  try {
    return decodeURIComponent(withSpaces);
  } catch {
    throw badField(parameter, "is not valid percent-encoding: write a literal `%` as `%25`");
  }
}

type JsonValue = string | number | boolean | null;

/** A context in a JSON body that has passed validation. Null stands for no value. */
interface JsonContext {
  readonly properties?: Readonly<Record<string, JsonValue>> | null;
  readonly [field: string]: JsonValue | Readonly<Record<string, JsonValue>> | undefined;
}

/** Reads a context from a validated JSON body. */
export function readContext({ properties, ...fields }: JsonContext): SentContext {
  const context = new SentContextBuilder();
  for (const [name, value] of Object.entries(fields)) {
    if (isSingleValue(value)) context.addField(name, toFieldText(name, value));
  }
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value !== null) context.addProperty(name, String(value));
  }
  return context.build();
}

/** Whether a context field can have this value; objects, lists and null are not values. */
export function isSingleValue(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

/** Converts the value of a field to text. A number in `currentTime` is in epoch milliseconds. */
export function toFieldText(name: string, value: string | number | boolean): string {
  if (name !== "currentTime" || typeof value !== "number") return String(value);
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? String(value) : time.toISOString();
}
