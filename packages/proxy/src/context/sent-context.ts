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
export function isStandardField(name: string): name is StandardField {
  return standardFields.has(name);
}

/** A context as a client sent it, whichever way: all values are text, and names are harmless. */
export interface SentContext {
  readonly fields: Readonly<Partial<Record<StandardField, string>>>;
  readonly properties: Readonly<Record<string, string>>;
}

type MutableFields = Partial<Record<StandardField, string>>;

/** Collects the parts of a context in the order they come. */
export class SentContextBuilder {
  readonly #fields: MutableFields = {};
  // NOTE: no prototype, so that a client may call a property `__proto__`.
  readonly #properties: Record<string, string> = Object.create(null);
  #bareProperties: Record<string, string> | undefined;

  /**
   * Adds a value given by its bare name; an unknown name is a property. Returns whether the name is
   * given for the first time.
   */
  addField(name: string, value: string): boolean {
    if (isStandardField(name)) return addTo(this.#fields, name, value);
    this.#bareProperties ??= Object.create(null) as Record<string, string>;
    return addTo(this.#bareProperties, name, value);
  }

  /** The same for a value given as a property, which beats one given by its bare name. */
  addProperty(name: string, value: string): boolean {
    return addTo(this.#properties, name, value);
  }

  build(): SentContext {
    const fields = this.#fields;
    if (this.#bareProperties === undefined) return { fields, properties: this.#properties };
    return { fields, properties: Object.assign(this.#bareProperties, this.#properties) };
  }
}

function addTo<Name extends string>(
  record: Partial<Record<Name, string>>,
  name: Name,
  value: string,
): boolean {
  if (record[name] !== undefined) return false;
  record[name] = value;
  return true;
}
