import { sql } from "drizzle-orm";
import { boolean, integer, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { orderByText } from "../database.ts";
import type {
  FeatureNaming,
  LegalValue,
  LinkTemplate,
  StoredDefaultStrategy,
} from "./json-values.ts";

export const environments = pgTable("environments", {
  name: text().primaryKey(),
  type: text().notNull(),
  enabled: boolean().notNull().default(true),
  sortOrder: integer("sort_order").notNull().default(9999),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
  protection: text().$type<Protection>().notNull().default("none"),
  /** How many people must approve a change, in every project; null unless the protection is `approvals`. */
  requiredApprovals: integer("required_approvals"),
});

/** What a change in an environment requires: nothing, a confirmation in the console, or approvals. */
export type Protection = (typeof PROTECTIONS)[number];

export const PROTECTIONS = ["none", "confirm", "approvals"] as const;

/** Environments are listed by their sort order, then by creation time and name. */
export const ENVIRONMENT_ORDER = [
  environments.sortOrder,
  environments.createdAt,
  orderByText(environments.name),
] as const;

/**
 * Who may do what without a role in a project. `open`: what their role in the service allows. `protected`: only read.
 * `private`: nothing, as if it did not exist.
 */
export type ProjectMode = (typeof PROJECT_MODES)[number];

export const PROJECT_MODES = ["open", "protected", "private"] as const;

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
  mode: text().$type<ProjectMode>().notNull().default("open"),
  /** Null: every name is possible. */
  featureNaming: jsonb("feature_naming").$type<FeatureNaming>(),
  linkTemplates: jsonb("link_templates").$type<readonly LinkTemplate[]>().notNull().default([]),
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
    /** What a flag without enabled strategies gets when it is turned on; null: a strategy for everyone. */
    defaultStrategy: jsonb("default_strategy").$type<StoredDefaultStrategy>(),
    /** How many people must approve a change in the project; the environment can require more. Null: as the environment. */
    requiredApprovals: integer("required_approvals"),
  },
  (table) => [primaryKey({ columns: [table.project, table.environment] })],
);

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
