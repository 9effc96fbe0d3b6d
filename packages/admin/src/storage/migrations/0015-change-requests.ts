import type { Migration } from "./migration.ts";

/** Environments that are protected, and requests for changes in them. */
export const changeRequests: Migration = {
  version: 15,
  name: "change requests",
  statements: [
    `alter table environments
      add column protection text not null default 'none',
      add column required_approvals integer`,
    // Only in a new database, which has no events.
    `update environments set protection = 'confirm'
      where name = 'production' and not exists (select from events)`,
    `alter table project_environments add column required_approvals integer`,
    `alter table api_tokens add column created_by_user integer`,
    `update api_tokens set created_by_user = events.actor_id::integer from events
      where events.type = 'api-token-created' and events.actor_kind = 'user'
        and events.actor_id ~ '^[0-9]{1,9}$' and events.data ->> 'id' = api_tokens.id`,
    `create table change_requests (
      id integer primary key generated always as identity,
      project text not null references projects (id) on delete cascade,
      environment text not null references environments (name) on delete cascade,
      title text not null,
      state text not null default 'Draft',
      state_times jsonb not null default '{}',
      created_by jsonb not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      scheduled_at timestamptz,
      scheduled_by jsonb,
      schedule_status text,
      schedule_reason text,
      retrying_since timestamptz,
      applied_by jsonb,
      skip_reason text
    )`,
    `create index change_requests_place on change_requests (project, environment)`,
    `create index change_requests_due on change_requests (scheduled_at)
      where state = 'Scheduled' and schedule_status <> 'suspended'`,
    `create table change_request_changes (
      id integer primary key generated always as identity,
      request integer not null references change_requests (id) on delete cascade,
      feature text,
      action text not null,
      payload jsonb,
      expected jsonb not null,
      affected jsonb not null,
      created_by jsonb not null,
      created_at timestamptz not null default now()
    )`,
    `create index change_request_changes_request on change_request_changes (request)`,
    `create index change_request_changes_feature on change_request_changes (feature)`,
    `create table change_request_reviews (
      request integer not null references change_requests (id) on delete cascade,
      user_id integer not null references users (id) on delete cascade,
      approved boolean not null,
      created_at timestamptz not null default now(),
      primary key (request, user_id)
    )`,
    `create table change_request_reviewers (
      request integer not null references change_requests (id) on delete cascade,
      user_id integer not null references users (id) on delete cascade,
      primary key (request, user_id)
    )`,
    `create table change_request_comments (
      id integer primary key generated always as identity,
      request integer not null references change_requests (id) on delete cascade,
      text text not null,
      created_by jsonb not null,
      created_at timestamptz not null default now()
    )`,
    `create index change_request_comments_request on change_request_comments (request)`,
  ],
};
