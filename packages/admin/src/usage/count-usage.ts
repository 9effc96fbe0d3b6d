// Adds counts to the stored ones, for hours and for days alike.

import { sql, type SQL, type SQLWrapper } from "drizzle-orm";
import { OTHER_APPLICATIONS } from "../storage/schema/usage.ts";

/** Where the usage in spans of one length is stored. */
export interface UsageTables {
  readonly features: string;
  readonly variants: string;
  /** The column with the start of the span. */
  readonly time: string;
}

export const HOURS: UsageTables = {
  features: "feature_usage",
  variants: "variant_usage",
  time: "hour",
};

export const DAYS: UsageTables = {
  features: "feature_usage_days",
  variants: "variant_usage_days",
  time: "day",
};

/** The start, in UTC, of the day that contains the hour of a row. */
export const START_OF_DAY: SQL = sql`date_trunc('day', hour, 'UTC')`;

/**
 * How many applications of a flag have counts of their own in each environment and span. NOTE: proxies pass on the names that
 * clients with a public key send, so anyone can invent names.
 */
export const MAX_APPLICATIONS = 100;

/** How many counts of variants a flag has in each environment and span: for each variant, one per application. */
const MAX_VARIANT_COUNTS = 500;

/** Twice as much still fits into a `bigint`. */
export const LARGEST_SUM = Number.MAX_SAFE_INTEGER;

// NOTE: rows are written in the order of their keys, so that concurrent writes of two replicas cannot deadlock.

/**
 * Adds the evaluations in `counted`, a common table expression with the columns `feature`, `environment`, `time`, `app_name`,
 * `yes` and `no`, with one row per key. Applications beyond the limit are counted together.
 */
export function addEvaluations({ features, time }: UsageTables): SQL {
  const table = sql.identifier(features);
  const span = sql.identifier(time);
  return sql`
    insert into ${table} (feature, environment, ${span}, app_name, yes, no)
    select feature, environment, time, name,
      least(sum(yes), ${LARGEST_SUM})::bigint, least(sum(no), ${LARGEST_SUM})::bigint
    from (
      select checked.*, case
        when is_known or position + ${countStored(table, span)} <= ${MAX_APPLICATIONS}
        then app_name else ${OTHER_APPLICATIONS} end as name
      from (
        select counted.*, stored.app_name is not null as is_known, row_number() over (
          partition by counted.feature, counted.environment, counted.time, stored.app_name is null
          order by counted.yes + counted.no desc, counted.app_name collate "C"
        ) as position
        from counted left join ${table} as stored on stored.feature = counted.feature
          and stored.environment = counted.environment and stored.${span} = counted.time
          and stored.app_name = counted.app_name
      ) as checked
    ) as named
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict (feature, environment, ${span}, app_name) do update set
      yes = least(${table}.yes + excluded.yes, ${LARGEST_SUM}),
      no = least(${table}.no + excluded.no, ${LARGEST_SUM})`;
}

/**
 * Adds the variants in `counted`, with the column `variant` in addition and `count` instead of `yes` and `no`. Those of applications
 * without evaluations of their own belong to the others. New variants beyond the limit are ignored.
 */
export function addVariants({ features, variants, time }: UsageTables): SQL {
  const table = sql.identifier(variants);
  const span = sql.identifier(time);
  return sql`
    insert into ${table} (feature, environment, ${span}, app_name, variant, count)
    select feature, environment, time, name, variant, count
    from (
      select checked.*, is_known or position + ${countStored(table, span)} <= ${MAX_VARIANT_COUNTS} as is_kept
      from (
      select named.*, stored.variant is not null as is_known, row_number() over (
        partition by named.feature, named.environment, named.time, stored.variant is null
        order by named.count desc, named.name collate "C", named.variant collate "C"
      ) as position
      from (
        select counted.feature, counted.environment, counted.time,
          coalesce(own.app_name, ${OTHER_APPLICATIONS}) as name, counted.variant,
          least(sum(counted.count), ${LARGEST_SUM})::bigint as count
        from counted left join ${sql.identifier(features)} as own on own.feature = counted.feature
          and own.environment = counted.environment and own.${span} = counted.time
          and own.app_name = counted.app_name
        group by 1, 2, 3, 4, 5
      ) as named
      left join ${table} as stored on stored.feature = named.feature
        and stored.environment = named.environment and stored.${span} = named.time
        and stored.app_name = named.name and stored.variant = named.variant
      ) as checked
    ) as limited
    where is_kept
    order by 1, 2, 3, 4, 5
    on conflict (feature, environment, ${span}, app_name, variant) do update set
      count = least(${table}.count + excluded.count, ${LARGEST_SUM})`;
}

/** Counts the stored rows of a flag in an environment and span: once for all of its new rows, of which the first has position 1. */
function countStored(table: SQLWrapper, span: SQLWrapper): SQL {
  return sql`coalesce(max(case when position = 1 and not is_known then (
    select count(*) from ${table} as stored where stored.feature = checked.feature
      and stored.environment = checked.environment and stored.${span} = checked.time
  ) end) over (partition by feature, environment, time), 0)`;
}
