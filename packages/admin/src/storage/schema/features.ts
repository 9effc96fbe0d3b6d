import { boolean, index, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { environments } from "./environments.ts";
import { projects } from "./projects.ts";
import type { StoredFlagVariant } from "./variants.ts";

export const features = pgTable(
  "features",
  {
    name: text().primaryKey(),
    project: text()
      .notNull()
      .references(() => projects.id),
    type: text().notNull().default("release"),
    description: text(),
    stale: boolean().notNull().default(false),
    impressionData: boolean("impression_data").notNull().default(false),
    createdBy: text("created_by").notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
    archivedAt: timestamp("archived_at", { withTimezone: true }),
  },
  (table) => [index("features_project").on(table.project)],
);

/** State of a flag per environment. There is a row for each environment of its project. */
export const featureEnvironments = pgTable(
  "feature_environments",
  {
    feature: text()
      .notNull()
      .references(() => features.name, { onDelete: "cascade" }),
    environment: text()
      .notNull()
      .references(() => environments.name, { onDelete: "cascade" }),
    enabled: boolean().notNull().default(false),
    lastSeenAt: timestamp("last_seen_at", { withTimezone: true }),
    variants: jsonb().$type<readonly StoredFlagVariant[]>().notNull().default([]),
  },
  (table) => [primaryKey({ columns: [table.feature, table.environment] })],
);

/** The condition that a flag sets for its parent flag. A flag has at most one parent. */
export const dependencies = pgTable(
  "dependencies",
  {
    child: text()
      .primaryKey()
      .references(() => features.name, { onDelete: "cascade" }),
    parent: text()
      .notNull()
      .references(() => features.name, { onDelete: "cascade" }),
    enabled: boolean().notNull().default(true),
    variants: jsonb().$type<readonly string[]>().notNull().default([]),
  },
  (table) => [index("dependencies_parent").on(table.parent)],
);
