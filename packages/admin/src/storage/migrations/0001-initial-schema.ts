import type { Migration } from "./migration.ts";

export const initialSchema: Migration = {
  version: 1,
  name: "initial schema",
  statements: [
    `create table environments (
      name text primary key,
      type text not null,
      enabled boolean not null default true,
      sort_order integer not null default 9999,
      created_at timestamptz not null default now()
    )`,
    `create table projects (
      id text primary key,
      name text not null,
      description text,
      default_stickiness text not null default 'default',
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      archived_at timestamptz
    )`,
    `create table project_environments (
      project text not null references projects (id) on delete cascade,
      environment text not null references environments (name) on delete cascade,
      primary key (project, environment)
    )`,
    `create table context_fields (
      name text primary key,
      description text,
      stickiness boolean not null default false,
      sort_order integer not null default 0,
      legal_values jsonb not null default '[]',
      created_at timestamptz not null default now()
    )`,
    `create table features (
      name text primary key,
      project text not null references projects (id),
      type text not null default 'release',
      description text,
      stale boolean not null default false,
      impression_data boolean not null default false,
      created_by text not null,
      created_at timestamptz not null default now(),
      archived_at timestamptz
    )`,
    `create index features_project on features (project)`,
    `create table feature_environments (
      feature text not null references features (name) on delete cascade,
      environment text not null references environments (name) on delete cascade,
      enabled boolean not null default false,
      last_seen_at timestamptz,
      primary key (feature, environment)
    )`,
    `create table dependencies (
      child text primary key references features (name) on delete cascade,
      parent text not null references features (name) on delete cascade,
      enabled boolean not null default true,
      variants jsonb not null default '[]'
    )`,
    `create index dependencies_parent on dependencies (parent)`,
    `create table strategies (
      id text primary key,
      feature text not null,
      environment text not null,
      name text not null,
      title text,
      disabled boolean not null default false,
      sort_order integer not null default 0,
      parameters jsonb not null default '{}',
      constraints jsonb not null default '[]',
      variants jsonb not null default '[]',
      created_at timestamptz not null default now(),
      foreign key (feature, environment)
        references feature_environments (feature, environment) on delete cascade
    )`,
    `create index strategies_feature_environment on strategies (feature, environment)`,
    `create table strategy_types (
      name text primary key,
      title text,
      description text,
      parameters jsonb not null default '[]',
      deprecated boolean not null default false,
      created_at timestamptz not null default now()
    )`,
    `create table segments (
      id integer primary key generated always as identity,
      name text not null unique,
      description text,
      project text references projects (id),
      constraints jsonb not null default '[]',
      created_by text not null,
      created_at timestamptz not null default now()
    )`,
    `create table strategy_segments (
      strategy text not null references strategies (id) on delete cascade,
      segment integer not null references segments (id),
      primary key (strategy, segment)
    )`,
    `create index strategy_segments_segment on strategy_segments (segment)`,
    `create table tag_types (
      name text primary key,
      description text,
      icon text,
      created_at timestamptz not null default now()
    )`,
    `create table tags (
      type text not null references tag_types (name) on delete cascade,
      value text not null,
      color text,
      created_at timestamptz not null default now(),
      primary key (type, value)
    )`,
    `create table feature_tags (
      feature text not null references features (name) on delete cascade,
      type text not null,
      value text not null,
      created_at timestamptz not null default now(),
      primary key (feature, type, value),
      foreign key (type, value) references tags (type, value) on delete cascade
    )`,
    `create table api_tokens (
      id text primary key,
      name text not null,
      secret_hash text not null unique,
      type text not null,
      environment text not null,
      projects jsonb not null,
      expires_at timestamptz,
      created_at timestamptz not null default now(),
      created_by text not null,
      seen_at timestamptz
    )`,
    `create index api_tokens_name on api_tokens (name)`,
    `create table events (
      id bigint primary key generated always as identity,
      type text not null,
      created_by text not null,
      actor_kind text not null,
      actor_id text,
      created_at timestamptz not null default now(),
      project text,
      feature_name text,
      environment text,
      pre_data jsonb,
      data jsonb,
      tags jsonb not null default '[]'
    )`,
    `create index events_feature on events (feature_name)`,
    `create index events_project on events (project)`,
    `create index events_type on events (type)`,
  ],
};
