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
import { orderByText } from "../database.ts";
import { featureEnvironments } from "./features.ts";
import type { StoredConstraint, StoredVariant } from "./json-values.ts";
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

export const strategies = pgTable(
  "strategies",
  {
    id: text().primaryKey(),
    feature: text().notNull(),
    environment: text().notNull(),
    name: text().notNull(),
    title: text(),
    disabled: boolean().notNull().default(false),
    sortOrder: integer("sort_order").notNull().default(0),
    parameters: jsonb().$type<Readonly<Record<string, string>>>().notNull().default({}),
    constraints: jsonb().$type<readonly StoredConstraint[]>().notNull().default([]),
    variants: jsonb().$type<readonly StoredVariant[]>().notNull().default([]),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    foreignKey({
      columns: [table.feature, table.environment],
      foreignColumns: [featureEnvironments.feature, featureEnvironments.environment],
    }).onDelete("cascade"),
    index("strategies_feature_environment").on(table.feature, table.environment),
  ],
);

/** The order of the strategies of a flag in an environment: the same for SDKs and administrators. */
export const STRATEGY_ORDER = [
  strategies.sortOrder,
  strategies.createdAt,
  orderByText(strategies.id),
] as const;

export const strategySegments = pgTable(
  "strategy_segments",
  {
    strategy: text()
      .notNull()
      .references(() => strategies.id, { onDelete: "cascade" }),
    segment: integer()
      .notNull()
      .references(() => segments.id),
  },
  (table) => [
    primaryKey({ columns: [table.strategy, table.segment] }),
    index("strategy_segments_segment").on(table.segment),
  ],
);

/** Descriptions of custom strategies, which applications implement. */
export const strategyTypes = pgTable("strategy_types", {
  name: text().primaryKey(),
  title: text(),
  description: text(),
  parameters: jsonb().$type<readonly Readonly<Record<string, unknown>>[]>().notNull().default([]),
  deprecated: boolean().notNull().default(false),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
});
