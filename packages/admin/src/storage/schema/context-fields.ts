import { boolean, integer, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/** An allowed value of a context field. */
export interface LegalValue {
  readonly value: string;
  readonly description?: string;
}

export const contextFields = pgTable("context_fields", {
  name: text().primaryKey(),
  description: text(),
  stickiness: boolean().notNull().default(false),
  sortOrder: integer("sort_order").notNull().default(0),
  legalValues: jsonb("legal_values").$type<readonly LegalValue[]>().notNull().default([]),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
});
