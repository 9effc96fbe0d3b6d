import { boolean, integer, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { projects } from "./projects.ts";

/** An allowed value of a context field. */
export interface LegalValue {
  readonly value: string;
  readonly description?: string;
}

export const contextFields = pgTable("context_fields", {
  name: text().primaryKey(),
  /** The only project that may use the field; null if all projects may. */
  project: text().references(() => projects.id, { onDelete: "cascade" }),
  description: text(),
  stickiness: boolean().notNull().default(false),
  sortOrder: integer("sort_order").notNull().default(0),
  legalValues: jsonb("legal_values").$type<readonly LegalValue[]>().notNull().default([]),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
});
