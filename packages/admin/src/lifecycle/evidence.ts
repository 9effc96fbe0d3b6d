import { sql, type SQL } from "drizzle-orm";
import { type Database, rowsOf } from "../storage/database.ts";
import { STARTED_AT } from "../domain/lifecycle/read-lifecycles.ts";
import { features } from "../storage/schema/features.ts";
import { lifecycles } from "../storage/schema/lifecycles.ts";
import { DAYS, HOURS, START_OF_DAY, type UsageTables } from "../usage/count-usage.ts";
import { lastDays } from "../usage/hours.ts";

/** How many days must have passed without a use, or with one result. */
export const EVIDENCE_DAYS = 30;

/** On how many of these days an environment must have reported any usage, so that silence means something. */
const MIN_REPORTED_DAYS = EVIDENCE_DAYS / 2;

/** What an environment has reported about a flag since its life began. Times are in milliseconds since 1970. */
export interface Evidence {
  readonly feature: string;
  readonly environment: string;
  readonly isProduction: boolean;
  /** When it was last used; null: never. */
  readonly seenAt: number | null;
  /** The last day in UTC with usage, with the result on, and with the result off. */
  readonly lastDay: number | null;
  readonly lastOn: number | null;
  readonly lastOff: number | null;
  /** The first day with the current result since the last one with another result. */
  readonly since: number | null;
  /** Whether there was another result before, as far as usage is kept. */
  readonly hasChanged: boolean;
  /** The variant that was reported last; null if none was in the last 30 days. */
  readonly variant: string | null;
}

/** Returns the start of the first of the 30 days before today, in UTC. */
export function firstDayOf(now: Date): Date {
  return lastDays(EVIDENCE_DAYS + 1, now)[0] ?? now;
}

const toTime = (column: SQL): SQL => sql`(extract(epoch from ${column}) * 1000)::float8`;

/**
 * Sums up what is known about flags, with one row for each environment of their projects that is on.
 *
 * NOTE: the embedded database blocks everything else during the statement. It reads up to 91 days of each flag, so pass few.
 */
export async function readEvidence(
  db: Database,
  names: readonly string[],
  now: Date,
): Promise<readonly Evidence[]> {
  const firstDay = firstDayOf(now).toISOString();
  const listed = sql`feature = any(array(select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb)))`;
  const result = await db.execute(sql`
    with flags as (
      select ${features.name} as feature, ${STARTED_AT} as started_at,
        date_trunc('day', ${STARTED_AT}, 'UTC') as first_day
      from ${features} left join ${lifecycles} on ${lifecycles.feature} = ${features.name}
      where ${features.name} = any(array(select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb)))
    ),
    days as (
      select feature, environment, day, sum(yes) > 0 as was_on, sum(no) > 0 as was_off
      from (
        select feature, environment, day, yes, no from feature_usage_days where ${listed}
        union all
        select feature, environment, ${START_OF_DAY}, yes, no from feature_usage where ${listed}
      ) as counted join flags using (feature)
      where day >= first_day and yes + no > 0
      group by 1, 2, 3
    ),
    variant_days as (
      select feature, environment, day, min(variant) as variant, max(variant) as other
      from (
        select feature, environment, day, variant, count from variant_usage_days where ${listed}
        union all
        select feature, environment, ${START_OF_DAY}, variant, count from variant_usage where ${listed}
      ) as counted join flags using (feature)
      where day >= first_day and count > 0
      group by 1, 2, 3
    ),
    variants as (
      select feature, environment, variant,
        max(day) filter (where day_variant <> variant or day_other <> variant) as other_day
      from (
        select feature, environment, day, variant as day_variant, other as day_other,
          first_value(variant) over latest as variant, first_value(day) over latest as last_day
        from variant_days
        window latest as (partition by feature, environment order by day desc)
      ) as compared
      where last_day >= ${firstDay}::timestamptz
      group by 1, 2, 3
    ),
    results as (
      select feature, environment, max(day) as last_day,
        max(day) filter (where was_on) as last_on, max(day) filter (where was_off) as last_off
      from days group by 1, 2
    ),
    changes as (
      select results.*, variant, case when last_on > coalesce(last_off, '-infinity')
        then greatest(last_off, other_day) else last_on end as changed_at
      from results left join variants using (feature, environment)
    ),
    runs as (
      select feature, environment, min(day) as since
      from days join changes using (feature, environment)
      where day > coalesce(changed_at, '-infinity')
      group by 1, 2
    )
    select state.feature, state.environment, environments.type = 'production' as is_production,
      ${toTime(sql`greatest(case when state.last_seen_at >= flags.started_at then state.last_seen_at end, last_day)`)} as seen_at,
      ${toTime(sql`last_day`)} as last_day, ${toTime(sql`last_on`)} as last_on,
      ${toTime(sql`last_off`)} as last_off, ${toTime(sql`since`)} as since,
      changed_at is not null as has_changed, variant
    from flags
    join feature_environments as state using (feature)
    join environments on environments.name = state.environment and environments.enabled
    left join changes on changes.feature = state.feature and changes.environment = state.environment
    left join runs on runs.feature = state.feature and runs.environment = state.environment
    order by state.feature collate "C", state.environment collate "C"`);
  return rowsOf(result).map(toEvidence);
}

function toEvidence(row: Readonly<Record<string, unknown>>): Evidence {
  const time = (column: string): number | null =>
    row[column] === null ? null : Number(row[column]);
  return {
    feature: String(row["feature"]),
    environment: String(row["environment"]),
    isProduction: row["is_production"] === true,
    seenAt: time("seen_at"),
    lastDay: time("last_day"),
    lastOn: time("last_on"),
    lastOff: time("last_off"),
    since: time("since"),
    hasChanged: row["has_changed"] === true,
    variant: typeof row["variant"] === "string" ? row["variant"] : null,
  };
}

/** Returns the environments that have reported usage of any flag on at least half of the 30 days. */
export async function listReportingEnvironments(
  db: Database,
  now: Date,
): Promise<ReadonlySet<string>> {
  const days = JSON.stringify(lastDays(EVIDENCE_DAYS + 1, now));
  const result = await db.execute(sql`
    select environments.name
    from environments
    cross join (select value::timestamptz as day from jsonb_array_elements_text(${days}::jsonb)) as days
    where ${isReported(DAYS, sql`days.day`)} or exists (
      select from generate_series(0, 23) as hours (hour)
      where ${isReported(HOURS, sql`days.day + hours.hour * interval '1 hour'`)}
    )
    group by environments.name
    having count(*) >= ${MIN_REPORTED_DAYS}`);
  return new Set(rowsOf(result).map(({ name }) => String(name)));
}

/** NOTE: the order makes this one look at an index. Otherwise, the database can search all usage for a row. */
function isReported({ features: table, time: column }: UsageTables, time: SQL): SQL {
  const span = sql.identifier(column);
  return sql`(
    select (found.span, found.environment) = (${time}, environments.name)
    from (
      select ${span} as span, environment from ${sql.identifier(table)} as usage
      where (usage.${span}, usage.environment) >= (${time}, environments.name)
      order by usage.${span}, usage.environment limit 1
    ) as found
  )`;
}
