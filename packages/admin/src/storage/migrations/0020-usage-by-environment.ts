import type { Migration } from "./migration.ts";

/** Indexes with which one look finds whether an environment has reported any usage in an hour, or on a day. */
export const usageByEnvironment: Migration = {
  version: 20,
  name: "usage by environment",
  statements: [
    `create index feature_usage_hour_environment on feature_usage (hour, environment)`,
    `drop index feature_usage_hour`,
    `create index feature_usage_days_day_environment on feature_usage_days (day, environment)`,
    `drop index feature_usage_days_day`,
  ],
};
