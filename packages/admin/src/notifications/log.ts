import { and, desc, eq } from "drizzle-orm";
import { notFound } from "../errors.ts";
import type { Page } from "../http/parse-filter.ts";
import type { Database } from "../storage/database.ts";
import { events } from "../storage/schema/events.ts";
import { notifications } from "../storage/schema/notifications.ts";
import { getAddon } from "./addon-store.ts";

/** Reads the notifications of an addon, those of the newest events first. Events come without their states, which can be large. */
export async function readLog(db: Database, addon: number, { limit, offset }: Page) {
  await getAddon(db, addon);
  const rows = await db
    .select({
      notification: notifications,
      event: {
        id: events.id,
        type: events.type,
        createdBy: events.createdBy,
        createdAt: events.createdAt,
        project: events.project,
        environment: events.environment,
        featureName: events.featureName,
      },
    })
    .from(notifications)
    .leftJoin(events, eq(events.id, notifications.event))
    .where(eq(notifications.addon, addon))
    .orderBy(desc(notifications.event))
    .limit(limit)
    .offset(offset);
  return rows.map(({ notification, event }) => ({
    id: String(notification.event),
    integrationId: addon,
    createdAt: notification.createdAt,
    state: notification.state,
    stateDetails: notification.reason ?? "",
    event,
    details: {
      messageId: `msg_${notification.messageId}`,
      attempts: notification.attempts,
      attemptedAt: notification.attemptedAt,
      nextAttemptAt: notification.state === "pending" ? notification.nextAt : null,
      status: notification.status,
      durationMs: notification.durationMs,
    },
  }));
}

/**
 * Makes a notification due at once, whatever became of it. If that fails, it is tried again as after its first attempt.
 *
 * @throws {ApiError} 404 if there is no such notification
 */
export async function resend(db: Database, addon: number, event: number, now: Date): Promise<void> {
  const sent = await db
    .update(notifications)
    .set({ state: "pending", nextAt: null, lockedUntil: null, attempts: 0, createdAt: now })
    .where(and(eq(notifications.addon, addon), eq(notifications.event, event)))
    .returning({ event: notifications.event });
  if (sent.length === 0)
    throw notFound(`The notification ${addon} has no message of the event ${event}`);
}
