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
