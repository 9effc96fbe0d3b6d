import { sql, type SQL } from "drizzle-orm";
import { type Database, firstRow, rowsOf } from "../storage/database.ts";
import {
  addEvaluations,
  addVariants,
  DAYS,
  HOURS,
  LARGEST_SUM,
  START_OF_DAY,
} from "./count-usage.ts";

interface ExpiredHours {
  /** Which rows have expired. */
  readonly condition: SQL;
  readonly maxRows: number;
}

/**
 * Moves rows of expired hours to the days that contain them. The statement that deletes the rows adds their counts, so that each
 * evaluation is counted in exactly one place, whatever ends or is tried again.
 *
 * @returns the number of moved rows
 */
export function rollUpEvaluations(db: Database, expired: ExpiredHours): Promise<number> {
  return moveRows(
    db,
    sql`
      expired as (${takeRows(HOURS.features, expired)}),
      counted as (
        select feature, environment, ${START_OF_DAY} as time, app_name,
          ${sumOf("yes")} as yes, ${sumOf("no")} as no
        from expired group by 1, 2, 3, 4
      )`,
    addEvaluations(DAYS),
  );
}

/** Does the same with counts of variants. Must run after `rollUpEvaluations()`, to find the applications. */
export function rollUpVariants(db: Database, expired: ExpiredHours): Promise<number> {
  return moveRows(
    db,
    sql`
      expired as (${takeRows(HOURS.variants, expired)}),
      counted as (
        select feature, environment, ${START_OF_DAY} as time, app_name, variant, ${sumOf("count")} as count
        from expired group by 1, 2, 3, 4, 5
      )`,
    addVariants(DAYS),
  );
}

function sumOf(column: string): SQL {
  return sql`least(sum(${sql.identifier(column)}), ${LARGEST_SUM})::bigint`;
}

/** NOTE: skips locked rows, so that it never waits for a report that updates one of them. */
function takeRows(tableName: string, { condition, maxRows }: ExpiredHours): SQL {
  const table = sql.identifier(tableName);
  return sql`
    delete from ${table} where ctid = any(array(
      select ctid from ${table} where ${condition} limit ${maxRows} for update skip locked
    )) returning *`;
}

async function moveRows(db: Database, expressions: SQL, insert: SQL): Promise<number> {
  const result = await db.execute(sql`
    with ${expressions}, added as (${insert})
    select count(*)::int as total from expired`);
  return Number(firstRow(rowsOf(result))["total"]);
}
