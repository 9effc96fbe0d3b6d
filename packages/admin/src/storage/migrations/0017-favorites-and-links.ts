import type { Migration } from "./migration.ts";

/** What users mark, links of flags, and a type of tags that says who is responsible for a flag. */
export const favoritesAndLinks: Migration = {
  version: 17,
  name: "favorites and links",
  statements: [
    `create table favorite_features (
      user_id integer not null references users (id) on delete cascade,
      feature text not null references features (name) on delete cascade,
      created_at timestamptz not null default now(),
      primary key (user_id, feature)
    )`,
    `create index favorite_features_feature on favorite_features (feature)`,
    `create table favorite_projects (
      user_id integer not null references users (id) on delete cascade,
      project text not null references projects (id) on delete cascade,
      created_at timestamptz not null default now(),
      primary key (user_id, project)
    )`,
    `create index favorite_projects_project on favorite_projects (project)`,
    `create table feature_links (
      id text primary key,
      feature text not null references features (name) on delete cascade,
      url text not null,
      title text,
      created_at timestamptz not null default now()
    )`,
    `create index feature_links_feature on feature_links (feature)`,
    `insert into tag_types (name, description) values
      ('owner', 'Who is responsible for a flag') on conflict do nothing`,
  ],
};
