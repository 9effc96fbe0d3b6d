import type { Migration } from "./migration.ts";

export const usage: Migration = {
  version: 3,
  name: "usage",
  statements: [
    `create table feature_usage (
      feature text not null,
      app_name text not null,
      environment text not null,
      hour timestamptz not null,
      yes bigint not null default 0,
      no bigint not null default 0,
      primary key (feature, app_name, environment, hour)
    )`,
    `create index feature_usage_hour on feature_usage (hour)`,
    `create table variant_usage (
      feature text not null,
      app_name text not null,
      environment text not null,
      hour timestamptz not null,
      variant text not null,
      count bigint not null default 0,
      primary key (feature, app_name, environment, hour, variant)
    )`,
    `create index variant_usage_hour on variant_usage (hour)`,
    `create table applications (
      app_name text not null,
      environment text not null,
      sdk_version text,
      strategies jsonb not null default '[]',
      first_seen_at timestamptz not null default now(),
      last_seen_at timestamptz not null default now(),
      primary key (app_name, environment)
    )`,
  ],
};
