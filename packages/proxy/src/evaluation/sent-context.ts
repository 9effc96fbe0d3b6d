/** The fields of a context that have a name and a meaning of their own. */
export const STANDARD_FIELDS = [
  "appName",
  "userId",
  "sessionId",
  "environment",
  "remoteAddress",
  "currentTime",
] as const;

export type StandardField = (typeof STANDARD_FIELDS)[number];

const standardFields: ReadonlySet<string> = new Set(STANDARD_FIELDS);

/** Whether a field has a meaning of its own; every other one is a property. */
function isStandardField(name: string): name is StandardField {
  return standardFields.has(name);
}

/** A context as a client sent it, whichever way: all values are text, and names are harmless. */
export interface SentContext {
  readonly fields: Readonly<Partial<Record<StandardField, string>>>;
  readonly properties: Readonly<Record<string, string>>;
}

type MutableFields = Partial<Record<StandardField, string>>;

/** Collects the fields and properties of a context in the order they come. */
export class SentContextBuilder {
  readonly #fields: MutableFields = {};
  // NOTE: no prototype, so that a client may call a property `__proto__`.
  readonly #properties: Record<string, string> = Object.create(null);
  #bareProperties: Record<string, string> | undefined;

  /** Adds a value given by its bare name, unless there is one. An unknown name is a property. */
  addField(name: string, value: string): void {
    this.#recordOf(name)[name] ??= value;
  }

  /** The same for a value given as a property, which takes precedence over one by its bare name. */
  addProperty(name: string, value: string): void {
    this.#properties[name] ??= value;
  }

  /** Like `addField()`, but appends to an existing value, with a comma in between. */
  appendField(name: string, value: string): void {
    append(this.#recordOf(name), name, value);
  }

  /** Like `addProperty()`, but appends to an existing value, with a comma in between. */
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

/** The text of a value in JSON. A number as `currentTime` is in epoch milliseconds. */
export function toFieldText(name: string, value: string | number | boolean): string {
  if (name !== "currentTime" || typeof value !== "number") return String(value);
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? String(value) : time.toISOString();
}
