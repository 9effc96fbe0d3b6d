import type { Migration } from "./migration.ts";

export const variantsFieldsInstances: Migration = {
  version: 5,
  name: "variants of environments, fields of projects, instances of applications",
  statements: [
    // To list the flags and projects that an application uses.
    `create index feature_usage_app_name on feature_usage (app_name)`,
    `alter table feature_environments add column variants jsonb not null default '[]'`,
    `alter table context_fields add column project text references projects (id) on delete cascade`,
    `create table application_instances (
      app_name text not null,
      environment text not null,
      instance_id text not null,
      sdk_type text not null,
      sdk_version text,
      first_seen_at timestamptz not null default now(),
      last_seen_at timestamptz not null default now(),
      primary key (app_name, environment, instance_id)
    )`,
    `create index application_instances_last_seen_at on application_instances (last_seen_at)`,
  ],
};
