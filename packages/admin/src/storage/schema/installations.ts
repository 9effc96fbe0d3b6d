import { pgTable, text, timestamp } from "drizzle-orm/pg-core";

/** The identity of the database: one row, once the id was needed. */
export const installations = pgTable("installations", {
  id: text().primaryKey(),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
});
