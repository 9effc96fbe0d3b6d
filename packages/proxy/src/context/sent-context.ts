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
  readonly #explicit = new Set<string>();

  /** Adds a value given by its bare name; an unknown name is a property. */
  addField(name: string, value: string): void {
    if (isStandardField(name)) {
      this.#fields[name] = value;
    } else if (!this.#explicit.has(name)) {
      this.#properties[name] = value;
    }
  }

  /** Adds a value given as a property, which beats one given by its bare name. */
  addProperty(name: string, value: string): void {
    this.#explicit.add(name);
    this.#properties[name] = value;
  }

  build(): SentContext {
    return { fields: this.#fields, properties: this.#properties };
  }
}
