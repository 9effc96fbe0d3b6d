import type { Migration } from "./migration.ts";

export const usageByDay: Migration = {
  version: 13,
  name: "usage by day",
  statements: [
    // The number of applications and variants of a flag in an hour is limited. To count them, they are next to each other.
    `alter table feature_usage drop constraint feature_usage_pkey,
      add primary key (feature, environment, hour, app_name)`,
    `alter table variant_usage drop constraint variant_usage_pkey,
      add primary key (feature, environment, hour, app_name, variant)`,
    `create table feature_usage_days (
      feature text not null,
      environment text not null,
      day timestamptz not null,
      app_name text not null,
      yes bigint not null default 0,
      no bigint not null default 0,
      primary key (feature, environment, day, app_name)
    )`,
    `create index feature_usage_days_day on feature_usage_days (day)`,
    `create table variant_usage_days (
      feature text not null,
      environment text not null,
      day timestamptz not null,
      app_name text not null,
      variant text not null,
      count bigint not null default 0,
      primary key (feature, environment, day, app_name, variant)
    )`,
    `create index variant_usage_days_day on variant_usage_days (day)`,
  ],
};
