import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { sql } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/pg-core";
import { drizzle } from "drizzle-orm/pglite";
import { afterAll, expect, test } from "vitest";
import { copyFreshDatabase } from "../../../test/_storages.ts";
import { rowsOf } from "../database.ts";
import { TABLES } from "./tables.ts";

const directory = mkdtempSync(join(tmpdir(), "flags-tables-"));
await copyFreshDatabase(directory);
const client = await PGlite.create(join(directory, "database"));
const db = drizzle(client);
afterAll(async () => {
  await client.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Returns each column of a migrated database as a line, such as `features.name text not null`. */
async function listMigratedColumns(): Promise<readonly string[]> {
  const result = await db.execute(sql`
    select relname || '.' || attname || ' ' || format_type(atttypid, atttypmod) ||
      case when attnotnull then ' not null' else '' end as "column"
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = current_schema()::regnamespace and relkind = 'r'
      and attnum > 0 and not attisdropped and relname <> 'schema_versions'`);
  return rowsOf(result).map(({ column }) => String(column));
}

function listDeclaredColumns(): readonly string[] {
  return TABLES.flatMap(({ table }) => {
    const { name, columns } = getTableConfig(table);
    return columns.map(
      (column) =>
        `${name}.${column.name} ${column.getSQLType()}${column.notNull ? " not null" : ""}`,
    );
  });
}

test("TABLES contains the tables of a migrated database, with the same columns", async () => {
  const migrated = await listMigratedColumns();
  expect(migrated.length).toBeGreaterThan(TABLES.length);
  expect(listDeclaredColumns().toSorted()).toEqual(migrated.toSorted());
});
