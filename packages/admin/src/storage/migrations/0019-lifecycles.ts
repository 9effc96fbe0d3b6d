import type { Migration } from "./migration.ts";

/** Stages of flags, and whether they can probably be removed. */
export const lifecycles: Migration = {
  version: 19,
  name: "lifecycles",
  statements: [
    `create table lifecycles (
      feature text primary key references features (name) on delete cascade,
      restarted_at timestamptz,
      pre_live_at timestamptz,
      live_at timestamptz,
      completed_at timestamptz,
      completed_status text,
      completed_value text,
      potentially_stale boolean not null default false,
      stale_reason jsonb,
      snoozed_until timestamptz,
      is_permanent boolean not null default false
    )`,
    `create table stale_checks (id integer primary key, due_at timestamptz not null)`,
    // The stages that flags have reached, as far as their usage is still known.
    `insert into lifecycles (feature, pre_live_at, live_at)
      select name, least(pre_live_at, live_at), live_at
      from (
        select features.name,
          greatest(created_at, coalesce(used.first_at, seen.first_at)) as pre_live_at,
          case when coalesce(used.live_at, seen.live_at) is not null
            then greatest(created_at, coalesce(used.live_at, seen.live_at)) end as live_at
        from features
        left join (
          select feature, min(time) as first_at,
            min(time) filter (where environments.type = 'production' and yes > 0) as live_at
          from (
            select feature, environment, day as time, yes from feature_usage_days
            union all select feature, environment, hour, yes from feature_usage
          ) as usage
          join features on features.name = usage.feature
            and usage.time >= date_trunc('day', features.created_at, 'UTC')
          left join environments on environments.name = usage.environment
          group by feature
        ) as used on used.feature = features.name
        left join (
          select feature, min(last_seen_at) as first_at, min(last_seen_at)
            filter (where type = 'production' and feature_environments.enabled) as live_at
          from feature_environments join environments on environments.name = environment
          where last_seen_at is not null
          group by feature
        ) as seen on seen.feature = features.name
        where coalesce(used.first_at, seen.first_at) is not null
      ) as reached`,
  ],
};
