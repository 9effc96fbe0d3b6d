import { randomUUID } from "node:crypto";
import type { Context } from "flags-engine";
import type { SentContext } from "../context/sent-context.ts";
import { HttpError } from "../http/errors.ts";
import type { Selection } from "../response/evaluate-flags.ts";

const MAX_LENGTH = 16 * 1024;

export const CHARACTER_BYTES = 2;

/** The evaluation that a stream repeats. Plain data, since the token in the URL of a stream contains it. */
export interface Subscription extends Selection {
  readonly context: Context;
  /** The kind of the events: see `StreamEvents`. @default "toggles" */
  readonly kind?: string | undefined;
  /** When the signature of the context expires, epoch milliseconds; the stream ends then. @default never */
  readonly expiresAtMs?: number | undefined;
}

/** Returns a subscription as an open stream stores it: as JSON, so that its memory is known exactly. */
export function toStoredText(subscription: Subscription): string {
  const text = JSON.stringify(subscription);
  if (text.length <= MAX_LENGTH) return text;
  throw new HttpError(
    413,
    `The context and the names in \`toggles\` exceed ${MAX_LENGTH / 1024} KiB, the limit for a stream: ` +
      "shorten them, or poll with `POST /proxy`",
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
