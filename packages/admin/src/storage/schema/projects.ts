import { sql } from "drizzle-orm";
import { pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { environments } from "./environments.ts";

export const projects = pgTable("projects", {
  id: text().primaryKey(),
  name: text().notNull(),
  description: text(),
  defaultStickiness: text("default_stickiness").notNull().default("default"),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
  updatedAt: timestamp("updated_at", { withTimezone: true })
    .notNull()
    .default(sql`now()`),
  archivedAt: timestamp("archived_at", { withTimezone: true }),
});

/** The environments of each project. */
export const projectEnvironments = pgTable(
  "project_environments",
  {
    project: text()
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    environment: text()
      .notNull()
      .references(() => environments.name, { onDelete: "cascade" }),
  },
  (table) => [primaryKey({ columns: [table.project, table.environment] })],
);
