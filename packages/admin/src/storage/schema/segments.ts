import { integer, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import type { StoredConstraint } from "./constraint.ts";
import { projects } from "./projects.ts";

export const segments = pgTable("segments", {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  name: text().notNull().unique(),
  description: text(),
  /** Null if the segment can be used in every project. */
  project: text().references(() => projects.id),
  constraints: jsonb().$type<readonly StoredConstraint[]>().notNull().default([]),
  createdBy: text("created_by").notNull(),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
});
