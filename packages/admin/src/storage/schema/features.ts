import {
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from "drizzle-orm/pg-core";
import type { StoredFlagVariant } from "./json-values.ts";
import { environments, projects } from "./projects.ts";

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

/** Types of flags whose lifetime was changed. */
export const featureTypes = pgTable("feature_types", {
  id: text().primaryKey(),
  /** Null: unlimited. */
  lifetimeDays: integer("lifetime_days"),
});

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

export const tagTypes = pgTable("tag_types", {
  name: text().primaryKey(),
  description: text(),
  icon: text(),
  /** `#rrggbb`. */
  color: text(),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
});

export const tags = pgTable(
  "tags",
  {
    type: text()
      .notNull()
      .references(() => tagTypes.name, { onDelete: "cascade" }),
    value: text().notNull(),
    color: text(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.type, table.value] })],
);

export const featureTags = pgTable(
  "feature_tags",
  {
    feature: text()
      .notNull()
      .references(() => features.name, { onDelete: "cascade" }),
    type: text().notNull(),
    value: text().notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.feature, table.type, table.value] }),
    foreignKey({
      columns: [table.type, table.value],
      foreignColumns: [tags.type, tags.value],
    }).onDelete("cascade"),
  ],
);

/** Pages about a flag, such as the task that it belongs to. */
export const featureLinks = pgTable(
  "feature_links",
  {
    id: text().primaryKey(),
    feature: text()
      .notNull()
      .references(() => features.name, { onDelete: "cascade" }),
    url: text().notNull(),
    title: text(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [index("feature_links_feature").on(table.feature)],
);
