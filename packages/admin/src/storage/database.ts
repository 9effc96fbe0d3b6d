// Helpers for SQL statements and the rows they return. Nothing here depends on a table.

import { isDeepStrictEqual } from "node:util";
import { getTableColumns, sql, type SQL } from "drizzle-orm";
import type { PgColumn, PgDatabase, PgQueryResultHKT, PgTable } from "drizzle-orm/pg-core";

/** A database or a transaction in it. PostgreSQL and the embedded database share this interface. */
export type Database = PgDatabase<PgQueryResultHKT>;

/**
 * Condition: the column equals one of the values. The values are sent as one JSON parameter, because
 * a statement with more than 65,535 parameters fails like a lost connection.
 *
 * NOTE: with `in (select …)`, PostgreSQL would read the whole table instead of using an index.
 */
export function isOneOf(column: PgColumn, values: readonly (number | string)[]): SQL {
  const type = sql.raw(column.getSQLType());
  return sql`${column} = any(array(
    select value::${type} from jsonb_array_elements_text(${JSON.stringify(values)}::jsonb)
  ))`;
}

/** Orders by the bytes of a string, so that the order does not depend on the locale of the database. */
export function orderByText(column: PgColumn): SQL {
  return sql`${column} collate "C"`;
}

/** Returns a pattern for `like` that matches every text containing `text`, without wildcards in it. */
export function likePattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** Returns what to set if an insert finds a row with the same key: these columns to their new values. */
export function excluded<Table extends PgTable, Name extends keyof Table["_"]["columns"] & string>(
  table: Table,
  ...names: readonly Name[]
): Record<Name, SQL> {
  const isNamed = new Set<string>(names);
  const columns = Object.entries(getTableColumns(table)).filter(([name]) => isNamed.has(name));
  return Object.fromEntries(
    columns.map(([name, column]) => [name, sql`excluded.${sql.identifier(column.name)}`]),
  ) as Record<Name, SQL>;
}

/** NOTE: a larger statement blocks the process for too long, and may have more than 65,535 parameters. */
const BATCH_SIZE = 250;

/** Splits rows into batches of at most 250, one statement each. */
export function* batchesOf<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += BATCH_SIZE) {
    yield rows.slice(start, start + BATCH_SIZE);
  }
}

/**
 * Returns the row of a statement that always returns one, such as an insert with `returning`.
 *
 * @throws {TypeError} if there is no row
 */
export function firstRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new TypeError("A statement that returns a row returned none");
  return row;
}

/** Returns the rows of a statement that was written as text. */
export function rowsOf(result: unknown): readonly Readonly<Record<string, unknown>>[] {
  return (result as { readonly rows: readonly Readonly<Record<string, unknown>>[] }).rows;
}

/** Groups items by key. Groups and their items keep the order of the input. */
export function groupBy<K, T>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Converts a value to what a JSON column returns for it: dates become text, `undefined` is dropped. */
export function toJson(value: unknown): unknown {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as unknown);
}

/** Whether two values are equal once they are stored as JSON. */
export function isEqualJson(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(toJson(one), toJson(other));
}

/** Returns the distinct values, sorted, so that results do not depend on the order of rows. */
export function sortDistinct(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted();
}

/** Reads the clock of the database, which all replicas share. */
export async function databaseTime(db: Database): Promise<Date> {
  const [row] = rowsOf(await db.execute(sql`select clock_timestamp()::text as now`));
  return new Date(String(row?.["now"]));
}
