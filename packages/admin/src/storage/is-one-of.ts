import { sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

/**
 * Whether a column has one of these values, however many there are. They travel as one parameter in
 * JSON: a statement has at most 65,535 of them, and one with more fails like a lost connection.
 */
export function isOneOf(column: PgColumn, values: readonly (number | string)[]): SQL {
  const type = sql.raw(column.getSQLType());
  return sql`${column} in (
    select value::${type} from jsonb_array_elements_text(${JSON.stringify(values)}::jsonb)
  )`;
}
