import { sql } from "drizzle-orm";
import { type Database, groupBy, rowsOf } from "../../storage/database.ts";
import { OTHER_APPLICATIONS } from "../../storage/schema/usage.ts";

/** By whom a flag was last used. */
export interface LastUse {
  readonly lastSeenAt: Date;
  /** Whether it was used in the last 7 days. */
  readonly isInUse: boolean;
  /** The applications that used it in the 7 days until then, as far as usage is kept: at most five, the latest first. */
  readonly applications: readonly string[];
  /** The number of all of them. */
  readonly applicationCount: number;
}

const MAX_NAMED = 5;
const SPAN = "7 days";

/**
 * Reads when flags were last used, and by which applications. Flags that were never used are left out.
 *
 * @param names at most 100, since up to 91 days of usage of each are read
 */
export async function readLastUses(
  db: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, LastUse>> {
  if (names.length === 0) return new Map();
  const listed = sql`feature = any(array(select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb)))`;
  const result = await db.execute(sql`
    with seen as (
      select feature, max(last_seen_at) as seen_at from feature_environments
      where ${listed} and last_seen_at is not null group by 1
    ),
    uses as (
      select feature, app_name, max(time) as used_at
      from (
        select feature, app_name, day + interval '1 day' as time from feature_usage_days where ${listed}
        union all select feature, app_name, hour from feature_usage where ${listed}
      ) as counted
      where app_name <> ${OTHER_APPLICATIONS}
      group by 1, 2
    ),
    latest as (
      select feature, app_name, count(*) over (partition by feature) as total,
        row_number() over (partition by feature order by used_at desc, app_name collate "C") as position
      from uses join seen using (feature) where used_at >= seen_at - ${SPAN}::interval
    )
    select seen.feature, extract(epoch from seen_at)::float8 as seen_at,
      seen_at > now() - ${SPAN}::interval as is_in_use, app_name, coalesce(total, 0)::int as total
    from seen left join latest on latest.feature = seen.feature and position <= ${MAX_NAMED}
    order by position`);
  const byFlag = groupBy(rowsOf(result), ({ feature }) => String(feature));
  return new Map(
    Array.from(byFlag, ([feature, rows]) => [
      feature,
      {
        lastSeenAt: new Date(Number(rows[0]?.["seen_at"]) * 1000),
        isInUse: rows[0]?.["is_in_use"] === true,
        applications: rows.flatMap(({ app_name: name }) => (typeof name === "string" ? name : [])),
        applicationCount: Number(rows[0]?.["total"]),
      },
    ]),
  );
}
