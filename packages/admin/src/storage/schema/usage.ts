import { bigint, index, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";

// NOTE: these tables refer to no other ones. What SDKs report must not wait for administrators, nor
// they for it, and what is left over of something deleted goes away with time.

/** How often a flag was asked for in an hour. Its hour is when it begins. */
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
    primaryKey({ columns: [table.feature, table.appName, table.environment, table.hour] }),
    index("feature_usage_hour").on(table.hour),
  ],
);

/** How often a variant was the answer in an hour. */
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
      columns: [table.feature, table.appName, table.environment, table.hour, table.variant],
    }),
    index("variant_usage_hour").on(table.hour),
  ],
);

/** Applications that have registered themselves. */
export const applications = pgTable(
  "applications",
  {
    appName: text("app_name").notNull(),
    environment: text().notNull(),
    sdkVersion: text("sdk_version"),
    /** Names of the strategies that the application knows. */
    strategies: jsonb().$type<readonly string[]>().notNull().default([]),
    firstSeenAt: timestamp("first_seen_at", { withTimezone: true }).notNull().defaultNow(),
    lastSeenAt: timestamp("last_seen_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.appName, table.environment] })],
);
