import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/pglite";
import { afterAll, expect, test } from "vitest";
import { copyFreshDatabase } from "../../test/_storages.ts";
import type { Database } from "./database.ts";
import { migrate, MIGRATIONS, SchemaTooNewError } from "./migrate.ts";

const directory = mkdtempSync(join(tmpdir(), "flags-migrate-"));
await copyFreshDatabase(directory);
const client = await PGlite.create(join(directory, "database"));
await client.exec("drop schema public cascade; create schema public");
const db = drizzle(client);
afterAll(async () => {
  await client.close();
  rmSync(directory, { recursive: true, force: true });
});

async function versionsOf(database: Database): Promise<number[]> {
  const result: unknown = await database.execute(
    sql`select version from schema_versions order by version`,
  );
  return (result as { rows: { version: number }[] }).rows.map(({ version }) => version);
}

test("MIGRATIONS are numbered from 1 without gaps", () => {
  expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});

test("migrate() applies each pending migration once", async () => {
  const one = { version: 1, name: "one", statements: ["create table one (a int)"] };
  const two = { version: 2, name: "two", statements: ["create table two (a int)"] };
  await migrate(db, [one]);
  await migrate(db, [one, two]);
  await migrate(db, [one, two]);
  expect(await versionsOf(db)).toEqual([1, 2]);
});

test("migrate() rolls back a migration that fails", async () => {
  const three = {
    version: 3,
    name: "three",
    statements: ["create table three (a int)", "create nonsense"],
  };
  const one = { version: 1, name: "one", statements: [] };
  const two = { version: 2, name: "two", statements: [] };
  await expect(migrate(db, [one, two, three])).rejects.toThrow();
  expect(await versionsOf(db)).toEqual([1, 2]);
  await expect(db.execute(sql`select * from three`)).rejects.toThrow();
});

test("migrate() refuses a schema that is newer than its last migration", async () => {
  const older = migrate(db, [{ version: 1, name: "one", statements: [] }]);
  await expect(older).rejects.toThrow(SchemaTooNewError);
  await expect(older).rejects.toThrow(
    "schema version 2, and this program supports versions up to 1",
  );
});
