import type { Migration } from "./migration.ts";

export const unknownFlags: Migration = {
  version: 14,
  name: "unknown flags",
  statements: [
    `create table unknown_flags (
      app_name text not null,
      environment text not null,
      feature text not null,
      first_seen_at timestamptz not null default now(),
      last_seen_at timestamptz not null default now(),
      primary key (app_name, environment, feature)
    )`,
  ],
};
