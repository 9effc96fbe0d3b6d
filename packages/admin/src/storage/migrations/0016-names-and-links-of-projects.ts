import type { Migration } from "./migration.ts";

export const namesAndLinksOfProjects: Migration = {
  version: 16,
  name: "rules for names of flags and links of projects",
  statements: [
    `alter table projects add column feature_naming jsonb,
      add column link_templates jsonb not null default '[]'`,
  ],
};
