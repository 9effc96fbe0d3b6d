import { sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

/** Orders by the bytes of a text: alike in every database, whatever its language. */
export function orderByText(column: PgColumn): SQL {
  return sql`${column} collate "C"`;
}
