import { sql } from "drizzle-orm";
import { type Database, rowsOf } from "../storage/database.ts";
import { BACKED_UP_TABLES } from "../storage/schema/tables.ts";

/** Lists the tables that a backup contains. A table follows those that it refers to. */
export async function listTables(db: Database): Promise<readonly string[]> {
  const tables = rowsOf(
    await db.execute(sql`
      select tablename as name from pg_tables
      where schemaname = current_schema() and tablename in ${BACKED_UP_TABLES}
      order by tablename`),
  ).map(({ name }) => String(name));
  const references = rowsOf(
    await db.execute(sql`
      select child.relname as child, parent.relname as parent
      from pg_constraint
      join pg_class as child on child.oid = conrelid
      join pg_class as parent on parent.oid = confrelid
      where contype = 'f' and connamespace = current_schema()::regnamespace`),
  ).map(({ child, parent }) => ({ child: String(child), parent: String(parent) }));
  return sortByReferences(tables, references);
}

interface Reference {
  readonly child: string;
  readonly parent: string;
}

function sortByReferences(
  tables: readonly string[],
  references: readonly Reference[],
): readonly string[] {
  const sorted = new Set<string>();
  const visit = (table: string): void => {
    if (sorted.has(table)) return;
    for (const { child, parent } of references) if (child === table) visit(parent);
    sorted.add(table);
  };
  for (const table of tables) visit(table);
  return [...sorted];
}

interface Sequence {
  readonly table: string;
  readonly column: string;
  /** The last assigned value; 0 if there is none. */
  readonly last: number;
}

/** Lists the identity columns that a backup contains, and their last values. */
export async function listSequences(db: Database): Promise<readonly Sequence[]> {
  const rows = rowsOf(
    await db.execute(sql`
      select table_name, column_name, coalesce(pg_sequence_last_value(
        pg_get_serial_sequence(quote_ident(table_name), column_name)::regclass), 0)::text as last
      from information_schema.columns
      where table_schema = current_schema() and is_identity = 'YES'
        and table_name in ${BACKED_UP_TABLES}
      order by table_name`),
  );
  return rows.map((row) => ({
    table: String(row["table_name"]),
    column: String(row["column_name"]),
    last: Number(row["last"]),
  }));
}
