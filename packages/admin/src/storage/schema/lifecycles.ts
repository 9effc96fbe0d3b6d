import { boolean, integer, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { features } from "./features.ts";

/** Why a flag can probably be removed: what applications have reported. */
export interface StaleReason {
  /** `unused`: it was used, and then not. `constant`: it gave only one result. */
  readonly kind: "constant" | "unused";
  /** ISO 8601. When it was last used, or the first day in UTC of the constant result. */
  readonly since: string;
  /** The environments whose reports decided, sorted. */
  readonly environments: readonly string[];
  /** The constant result. */
  readonly value?: FlagValue;
}

/** The result of a flag. */
export interface FlagValue {
  readonly enabled: boolean;
  readonly variant?: string;
}

export type CompletedStatus = "discarded" | "kept";

/** How far flags have come, and whether they can probably be removed. A flag without a row is new. */
export const lifecycles = pgTable("lifecycles", {
  feature: text()
    .primaryKey()
    .references(() => features.name, { onDelete: "cascade" }),
  /** When it was last revived, where its life began again. Null: never. */
  restartedAt: timestamp("restarted_at", { withTimezone: true }),
  /** When it was first used. */
  preLiveAt: timestamp("pre_live_at", { withTimezone: true }),
  /** When it was first used where it is on, in an environment of type `production`. */
  liveAt: timestamp("live_at", { withTimezone: true }),
  completedAt: timestamp("completed_at", { withTimezone: true }),
  completedStatus: text("completed_status").$type<CompletedStatus>(),
  /** Name of the variant that was kept. */
  completedValue: text("completed_value"),
  potentiallyStale: boolean("potentially_stale").notNull().default(false),
  /** Also of flags that are marked as stale. */
  staleReason: jsonb("stale_reason").$type<StaleReason>(),
  /** Until then, the flag does not become potentially stale. */
  snoozedUntil: timestamp("snoozed_until", { withTimezone: true }),
  /** It never becomes potentially stale. */
  isPermanent: boolean("is_permanent").notNull().default(false),
});

/** When flags are examined next: one row, with the id 1, once they were. */
export const staleChecks = pgTable("stale_checks", {
  id: integer().primaryKey(),
  dueAt: timestamp("due_at", { withTimezone: true }).notNull(),
});
