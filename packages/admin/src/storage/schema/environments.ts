import { boolean, integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { orderByText } from "../database.ts";

export const environments = pgTable("environments", {
  name: text().primaryKey(),
  type: text().notNull(),
  enabled: boolean().notNull().default(true),
  sortOrder: integer("sort_order").notNull().default(9999),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
});

/** Environments are listed by their sort order, then by creation time and name. */
export const ENVIRONMENT_ORDER = [
  environments.sortOrder,
  environments.createdAt,
  orderByText(environments.name),
] as const;
