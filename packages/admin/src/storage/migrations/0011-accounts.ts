import type { Migration } from "./migration.ts";

/** Accounts of people, their roles in projects, and what they sign in with. */
export const accounts: Migration = {
  version: 11,
  name: "accounts",
  statements: [
    `create table users (
      id integer primary key generated always as identity,
      username text,
      email text,
      name text not null default '',
      role text not null,
      role_assigned boolean not null default false,
      password_hash text,
      issuer text,
      subject text,
      disabled_at timestamptz,
      created_at timestamptz not null default now(),
      created_by text not null,
      seen_at timestamptz
    )`,
    `create unique index users_username on users (lower(username))`,
    `create unique index users_email on users (lower(email)) where issuer is null`,
    `create unique index users_identity on users (issuer, subject)`,
    `create table user_links (
      secret_hash text primary key,
      user_id integer not null references users (id) on delete cascade,
      kind text not null,
      created_at timestamptz not null default now(),
      created_by text not null,
      expires_at timestamptz not null,
      used_at timestamptz
    )`,
    `create index user_links_user on user_links (user_id)`,
    `create table invite_links (
      id text primary key,
      secret_hash text not null unique,
      name text not null,
      enabled boolean not null default true,
      expires_at timestamptz not null,
      created_at timestamptz not null default now(),
      created_by text not null
    )`,
    `create table invited_users (
      link text not null references invite_links (id) on delete cascade,
      user_id integer not null references users (id) on delete cascade,
      primary key (link, user_id)
    )`,
    `create table personal_tokens (
      id integer primary key generated always as identity,
      user_id integer not null references users (id) on delete cascade,
      secret_hash text not null unique,
      description text not null,
      expires_at timestamptz not null,
      created_at timestamptz not null default now(),
      seen_at timestamptz,
      unique (user_id, description)
    )`,
    `create table setup_codes (
      secret_hash text primary key,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    )`,
    `create table project_members (
      project text not null references projects (id) on delete cascade,
      user_id integer not null references users (id) on delete cascade,
      role text not null,
      source text not null default 'assigned',
      added_at timestamptz not null default now(),
      primary key (project, user_id, source)
    )`,
    `create index project_members_user on project_members (user_id)`,
    `alter table projects add column mode text not null default 'open'`,
  ],
};

/** Sessions belong to accounts. Users of OpenID Connect who are signed in get theirs. */
export const sessionsOfAccounts: Migration = {
  version: 12,
  name: "sessions of accounts",
  statements: [
    `alter table sessions
      add column account integer references users (id) on delete cascade,
      add column address text,
      add column user_agent text`,
    `create index sessions_account on sessions (account)`,
    `insert into users (name, role, issuer, subject, created_by)
      select distinct on (issuer, user_id)
        user_name, role, issuer, substr(user_id, length(issuer) + 2), 'system'
      from sessions where issuer is not null and role is not null
      order by issuer, user_id, created_at desc`,
    `update sessions set account = users.id from users
      where sessions.issuer = users.issuer
        and sessions.user_id = users.issuer || ' ' || users.subject`,
  ],
};
