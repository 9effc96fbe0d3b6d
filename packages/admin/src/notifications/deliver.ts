import { eq } from "drizzle-orm";
import { readPage } from "../domain/events/find-events.ts";
import type { Database } from "../storage/database.ts";
import { events } from "../storage/schema/events.ts";
import type { Addon } from "./addon-store.ts";
import type { Notice } from "./providers/provider.ts";
import { findProvider } from "./providers/providers.ts";
import { type Outcome, send, type SendOptions } from "./send.ts";
import { signatureHeaders } from "./signature.ts";
import { writeNotice } from "./write-notice.ts";

export interface DeliverOptions extends SendOptions {
  /** Address at which browsers reach the service, for links; undefined if it is not known. */
  readonly publicUrl: string | undefined;
}

interface Delivery {
  readonly event: number;
  readonly messageId: string;
  readonly now: Date;
}

/** Sends an event to an addon. */
export async function deliver(
  db: Database,
  addon: Addon,
  { event: id, messageId, now }: Delivery,
  options: DeliverOptions,
): Promise<Outcome> {
  const [event] = await readPage(db, eq(events.id, id), { offset: 0, limit: 1 });
  if (event === undefined) return notSent("The event no longer exists");
  return deliverNotice(addon, writeNotice(event, options.publicUrl), { messageId, now }, options);
}

/** Sends a message to an addon. Whatever prevents it is the reason of the outcome. */
export async function deliverNotice(
  addon: Addon,
  notice: Notice,
  { messageId: id, now }: Omit<Delivery, "event">,
  options: SendOptions,
): Promise<Outcome> {
  const provider = findProvider(addon.provider);
  if (provider === undefined) return notSent(`There is no provider ${addon.provider}`);
  let message;
  try {
    message = provider.write(notice, addon.parameters);
  } catch {
    return notSent("The message could not be written: check the template and the other parameters");
  }
  const { headers, body } = message;
  const at = new Date();
  const signed = signatureHeaders(secretsOf(addon, now), { id: `msg_${id}`, at, body });
  return send({ ...message, headers: { ...headers, ...(provider.isSigned && signed) } }, options);
}

function secretsOf(
  { secret, previousSecret, previousSecretUntil }: Addon,
  now: Date,
): readonly string[] {
  const isKept = previousSecretUntil !== null && previousSecretUntil > now;
  return [secret, isKept ? previousSecret : null].filter((each) => each !== null);
}

function notSent(reason: string): Outcome {
  return {
    isSuccess: false,
    isGone: false,
    status: null,
    durationMs: 0,
    reason,
    retryAfterMs: undefined,
  };
}
