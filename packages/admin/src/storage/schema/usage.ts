import { bigint, index, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";

// NOTE: these tables have no foreign keys, so that usage reports and changes by administrators never
// wait for each other. Rows of deleted flags are removed when they expire.

/** Stands for all applications of which a flag has no counts of their own. */
export const OTHER_APPLICATIONS = "(other applications)";

/** How often a flag was evaluated in an hour. `hour` is the start of the hour. */
export const featureUsage = pgTable(
  "feature_usage",
  {
    feature: text().notNull(),
    appName: text("app_name").notNull(),
    environment: text().notNull(),
    hour: timestamp({ withTimezone: true }).notNull(),
    yes: bigint({ mode: "number" }).notNull().default(0),
    no: bigint({ mode: "number" }).notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.feature, table.environment, table.hour, table.appName] }),
    index("feature_usage_hour_environment").on(table.hour, table.environment),
    index("feature_usage_app_name").on(table.appName),
  ],
);

/** How often a variant was the result of an evaluation in an hour. */
export const variantUsage = pgTable(
  "variant_usage",
  {
    feature: text().notNull(),
    appName: text("app_name").notNull(),
    environment: text().notNull(),
    hour: timestamp({ withTimezone: true }).notNull(),
    variant: text().notNull(),
    count: bigint({ mode: "number" }).notNull().default(0),
  },
  (table) => [
    primaryKey({
      columns: [table.feature, table.environment, table.hour, table.appName, table.variant],
    }),
    index("variant_usage_hour").on(table.hour),
  ],
);

/** How often a flag was evaluated on a day, apart from the hours that are still in `feature_usage`. `day` is its start in UTC. */
export const featureUsageDays = pgTable(
  "feature_usage_days",
  {
    feature: text().notNull(),
    environment: text().notNull(),
    day: timestamp({ withTimezone: true }).notNull(),
    appName: text("app_name").notNull(),
    yes: bigint({ mode: "number" }).notNull().default(0),
    no: bigint({ mode: "number" }).notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.feature, table.environment, table.day, table.appName] }),
    index("feature_usage_days_day_environment").on(table.day, table.environment),
  ],
);

/** How often a variant was the result of an evaluation on a day, apart from the hours that are still in `variant_usage`. */
export const variantUsageDays = pgTable(
  "variant_usage_days",
  {
    feature: text().notNull(),
    environment: text().notNull(),
    day: timestamp({ withTimezone: true }).notNull(),
    appName: text("app_name").notNull(),
    variant: text().notNull(),
    count: bigint({ mode: "number" }).notNull().default(0),
  },
  (table) => [
    primaryKey({
      columns: [table.feature, table.environment, table.day, table.appName, table.variant],
    }),
    index("variant_usage_days_day").on(table.day),
  ],
);

/** Applications that have registered. */
export const applications = pgTable(
  "applications",
  {
    appName: text("app_name").notNull(),
    environment: text().notNull(),
    sdkVersion: text("sdk_version"),
    /** Names of the strategies that the application supports. */
    strategies: jsonb().$type<readonly string[]>().notNull().default([]),
    firstSeenAt: timestamp("first_seen_at", { withTimezone: true }).notNull().defaultNow(),
    lastSeenAt: timestamp("last_seen_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.appName, table.environment] })],
);

/** Running instances of applications. Those of all browsers are few, since proxies summarize them. */
export const applicationInstances = pgTable(
  "application_instances",
  {
    appName: text("app_name").notNull(),
    environment: text().notNull(),
    instanceId: text("instance_id").notNull(),
    sdkType: text("sdk_type").$type<"backend" | "frontend">().notNull(),
    sdkVersion: text("sdk_version"),
    firstSeenAt: timestamp("first_seen_at", { withTimezone: true }).notNull().defaultNow(),
    lastSeenAt: timestamp("last_seen_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.appName, table.environment, table.instanceId] }),
    index("application_instances_last_seen_at").on(table.lastSeenAt),
  ],
);

/** Names that applications have evaluated without there being an active flag of this name. */
export const unknownFlags = pgTable(
  "unknown_flags",
  {
    appName: text("app_name").notNull(),
    environment: text().notNull(),
    feature: text().notNull(),
    firstSeenAt: timestamp("first_seen_at", { withTimezone: true }).notNull().defaultNow(),
    lastSeenAt: timestamp("last_seen_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.appName, table.environment, table.feature] })],
);
