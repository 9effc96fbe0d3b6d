import { randomUUID } from "node:crypto";
import type { Context, ContextDependencies } from "flags-engine";
import { STANDARD_FIELDS, type SentContext } from "../context/sent-context.ts";
import { HttpError } from "../http/errors.ts";
import type { Selection } from "../response/evaluate-flags.ts";

/** A context of up to this length as JSON is stored in full. */
const FULL_MAX_LENGTH = 1024;

/** Maximum length of the JSON that a stream stores. */
const MAX_LENGTH = 16 * 1024;

/** Maximum memory of one character. */
const CHARACTER_BYTES = 2;

/** The evaluation that a stream repeats. Plain data, since the token in the URL of a stream contains it. */
export interface Subscription extends Selection {
  readonly context: Context;
  /** The kind of the events: see `StreamEvents`. @default "toggles" */
  readonly kind?: string | undefined;
  /** When the signature of the context expires, epoch milliseconds; the stream ends then. @default never */
  readonly expiresAtMs?: number | undefined;
}

/**
 * A subscription as an open stream stores it: as JSON, so that its memory is known exactly. A long
 * context is reduced to the standard fields and those that rules read when the stream was opened.
 */
export class StoredSubscription {
  readonly #json: string;
  /** The fields of a reduced context; undefined if the context is complete. */
  readonly #storedFields: readonly string[] | undefined;

  /** @throws {HttpError} 413 if even the reduced subscription is too large */
  constructor(subscription: Subscription, contextDependencies: ContextDependencies) {
    this.#json = JSON.stringify(subscription);
    // NOTE: a custom strategy may read any field.
    if (this.#json.length > FULL_MAX_LENGTH && !contextDependencies.callsCustomStrategy) {
      const context = reduceContext(subscription.context, contextDependencies.fields);
      this.#json = JSON.stringify({ ...subscription, context });
      this.#storedFields = contextDependencies.fields;
    }
    if (this.#json.length > MAX_LENGTH) throw tooLarge();
  }

  /** Memory for the JSON. */
  get bytes(): number {
    return CHARACTER_BYTES * this.#json.length;
  }

  /** Whether rules now read fields that were not stored, so that the client must send them again. */
  isOutdated({ fields, callsCustomStrategy }: ContextDependencies): boolean {
    const stored = this.#storedFields;
    if (stored === undefined || (fields === stored && !callsCustomStrategy)) return false;
    return callsCustomStrategy || !fields.every((field) => stored.includes(field));
  }

  load(): Subscription {
    return JSON.parse(this.#json) as Subscription;
  }
}

function reduceContext(context: Context, fields: readonly string[]): Context {
  const names = [...STANDARD_FIELDS, ...fields];
  const { properties, ...rest } = context;
  return { ...pick(rest, names), properties: pick(properties ?? {}, names) };
}

function pick(values: Readonly<Record<string, unknown>>, names: readonly string[]) {
  // NOTE: no prototype, so that a property may be called `__proto__`.
  const picked: Record<string, unknown> = Object.create(null);
  for (const name of names) {
    if (Object.hasOwn(values, name)) picked[name] = values[name];
  }
  return picked;
}

function tooLarge(): HttpError {
  return new HttpError(
    413,
    `The context fields that rules read and the names in \`toggles\` exceed ${MAX_LENGTH / 1024} KiB, ` +
      "the limit for a stream: shorten them, or poll with `POST /proxy`",
  );
}

/** Adds a session id if it is missing: a new one in each evaluation would change rollouts. */
export function withSessionId({ fields, properties }: SentContext): SentContext {
  return { fields: { ...fields, sessionId: fields.sessionId || randomUUID() }, properties };
}

/**
 * Converts the values of a context to strings, numbers and booleans, as rules read them. An enricher
 * may add values of any type, and values that JSON does not support would be lost.
 */
export function toPlainContext({ properties, ...fields }: Context): Context {
  return { ...toPlainValues(fields), properties: toPlainValues(properties ?? {}) };
}

function toPlainValues(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  // NOTE: no prototype, so that a property may be called `__proto__`.
  const plainValues: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(values)) {
    const plain = toPlain(value);
    if (plain !== undefined) plainValues[name] = plain;
  }
  return plainValues;
}

function toPlain(value: unknown): string | number | boolean | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  try {
    // oxlint-disable-next-line typescript/no-base-to-string -- rules read objects in the same way
    return value instanceof Date ? value.toISOString() : String(value);
  } catch {
    // An invalid date, or an object that cannot be converted to a string.
    return undefined;
  }
}
