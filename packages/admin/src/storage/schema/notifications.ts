import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from "drizzle-orm/pg-core";

/** Where notifications are sent, and of which events. */
export const addons = pgTable("addons", {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  provider: text().notNull(),
  enabled: boolean().notNull(),
  description: text(),
  /** As the receiver needs them, so they contain secrets. */
  parameters: jsonb().$type<Readonly<Record<string, string>>>().notNull(),
  /** In each of these lists, nothing or `*` means all. */
  events: jsonb().$type<readonly string[]>().notNull(),
  projects: jsonb().$type<readonly string[]>().notNull(),
  environments: jsonb().$type<readonly string[]>().notNull(),
  /** Signs requests; null for receivers that check no signature. */
  secret: text(),
  /** Signs them too, until that time, so that receivers can change it without missing anything. */
  previousSecret: text("previous_secret"),
  previousSecretUntil: timestamp("previous_secret_until", { withTimezone: true }),
  /** When the first attempt failed since the last success; null if nothing has failed since. */
  failingSince: timestamp("failing_since", { withTimezone: true }),
  /** Why the service has disabled it. */
  disabledReason: text("disabled_reason"),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
});

/** `failed`: it is not tried again. */
export type NotificationState = "failed" | "pending" | "success";

/** One event for one addon, from when it is recorded until it expires. Left out of backups. */
export const notifications = pgTable(
  "notifications",
  {
    addon: integer()
      .notNull()
      .references(() => addons.id, { onDelete: "cascade" }),
    /** Id of the event, which may have been deleted. */
    event: bigint({ mode: "number" }).notNull(),
    /** Receivers recognize repeated messages by it. */
    messageId: uuid("message_id").notNull().defaultRandom(),
    /** Name of the flag, whose events are first sent in order; empty if the event is not about one. */
    feature: text().notNull(),
    state: text().$type<NotificationState>().notNull().default("pending"),
    /** How many attempts have ended. */
    attempts: integer().notNull().default(0),
    /** When it is sent; null: at once. */
    nextAt: timestamp("next_at", { withTimezone: true }),
    /** Until then, a replica is sending it. */
    lockedUntil: timestamp("locked_until", { withTimezone: true }),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
    attemptedAt: timestamp("attempted_at", { withTimezone: true }),
    /** HTTP status of the last attempt; null if there was no response. */
    status: integer(),
    /** Of the last attempt. */
    durationMs: integer("duration_ms"),
    /** Why the last attempt failed. */
    reason: text(),
  },
  (table) => [
    primaryKey({ columns: [table.addon, table.event] }),
    index("notifications_first")
      .on(table.addon, table.event)
      .where(sql`state = 'pending' and attempts = 0`),
    index("notifications_first_of_feature")
      .on(table.addon, table.feature, table.event)
      .where(sql`state = 'pending' and attempts = 0`),
    index("notifications_retries")
      .on(table.addon, table.nextAt)
      .where(sql`state = 'pending' and attempts > 0`),
    index("notifications_unsent")
      .on(table.addon, table.state)
      .where(sql`state <> 'success'`),
    index("notifications_created_at").on(table.createdAt),
  ],
);
