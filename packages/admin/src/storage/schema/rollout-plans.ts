import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import type { Requester } from "./change-requests.ts";
import { strategies } from "./strategies.ts";

/** A step of a plan. */
export interface RolloutStep {
  /** Percentage of the users. */
  readonly rollout: number;
  /** How long it lasts; null until a person continues. */
  readonly holdMinutes: number | null;
}

/**
 * `running`: the next step comes at `nextAt`. `waiting`: a person continues. `paused`: by a person, or for the reason.
 * `stopped`: somebody has edited the strategy.
 */
export type PlanState = "completed" | "paused" | "running" | "stopped" | "waiting";

/** Plans that raise the percentage of strategies step by step. */
export const rolloutPlans = pgTable(
  "rollout_plans",
  {
    strategy: text()
      .primaryKey()
      .references(() => strategies.id, { onDelete: "cascade" }),
    steps: jsonb().$type<readonly RolloutStep[]>().notNull(),
    /** Index of the current step. */
    step: integer().notNull(),
    state: text().$type<PlanState>().notNull(),
    nextAt: timestamp("next_at", { withTimezone: true }),
    reason: text(),
    /** In whose name the steps are made. */
    setBy: jsonb("set_by").$type<Requester>().notNull(),
    setAt: timestamp("set_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    index("rollout_plans_due")
      .on(table.nextAt)
      .where(sql`state = 'running'`),
  ],
);
