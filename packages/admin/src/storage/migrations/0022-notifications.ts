import type { Migration } from "./migration.ts";

/** Where the service sends notifications of events, and what it has sent or will send. */
export const notifications: Migration = {
  version: 22,
  name: "notifications",
  statements: [
    `create table addons (
      id integer primary key generated always as identity,
      provider text not null,
      enabled boolean not null,
      description text,
      parameters jsonb not null,
      events jsonb not null,
      projects jsonb not null,
      environments jsonb not null,
      secret text,
      previous_secret text,
      previous_secret_until timestamptz,
      failing_since timestamptz,
      disabled_reason text,
      created_at timestamptz not null default now()
    )`,
    `create table notifications (
      addon integer not null references addons (id) on delete cascade,
      event bigint not null,
      message_id uuid not null default gen_random_uuid(),
      feature text not null,
      state text not null default 'pending',
      attempts integer not null default 0,
      next_at timestamptz,
      locked_until timestamptz,
      created_at timestamptz not null default now(),
      attempted_at timestamptz,
      status integer,
      duration_ms integer,
      reason text,
      primary key (addon, event)
    )`,
    `create index notifications_first on notifications (addon, event)
      where state = 'pending' and attempts = 0`,
    `create index notifications_first_of_feature on notifications (addon, feature, event)
      where state = 'pending' and attempts = 0`,
    `create index notifications_retries on notifications (addon, next_at)
      where state = 'pending' and attempts > 0`,
    `create index notifications_unsent on notifications (addon, state)
      where state <> 'success'`,
    `create index notifications_created_at on notifications (created_at)`,
  ],
};
