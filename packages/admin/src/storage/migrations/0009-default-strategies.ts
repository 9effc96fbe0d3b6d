import type { Migration } from "./migration.ts";

export const defaultStrategies: Migration = {
  version: 9,
  name: "default strategies, lifetimes of flag types, colors of tag types, id of the installation",
  statements: [
    `create table feature_types (
      id text primary key,
      lifetime_days integer
    )`,
    `create table installations (
      id text primary key,
      created_at timestamptz not null default now()
    )`,
    `alter table tag_types add column color text`,
    `alter table project_environments add column default_strategy jsonb`,
  ],
};
