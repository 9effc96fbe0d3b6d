import { sql } from "drizzle-orm";
import { type Database, rowsOf } from "./database.ts";
import { lockFor } from "./transactions.ts";
import { initialSchema } from "./migrations/0001-initial-schema.ts";
import { initialData } from "./migrations/0002-initial-data.ts";
import { usage } from "./migrations/0003-usage.ts";
import { sessions } from "./migrations/0004-sessions.ts";
import { variantsFieldsInstances } from "./migrations/0005-variants-fields-instances.ts";
import { indexesOfEvents } from "./migrations/0006-indexes-of-events.ts";
import { deletedTokens } from "./migrations/0007-deleted-tokens.ts";
import type { Migration } from "./migrations/migration.ts";

/** All migrations, in order. */
export const MIGRATIONS: readonly Migration[] = [
  initialSchema,
  initialData,
  usage,
  sessions,
  variantsFieldsInstances,
  indexesOfEvents,
  deletedTokens,
];

/** The schema version that this program uses. */
export const SCHEMA_VERSION: number = latestVersion(MIGRATIONS);

/** A newer version of this program has migrated the database, which this version cannot undo. */
export class SchemaTooNewError extends Error {
  override readonly name = "SchemaTooNewError";

  constructor(found: number, known: number) {
    super(
      `The database has schema version ${found}, and this program supports versions up to ${known}: ` +
        "run the newer version of the program, or restore a backup from before its migration",
    );
  }
}

/**
 * Applies all pending migrations in one transaction. Several processes may do this concurrently: an
 * advisory lock runs them one after the other, and the later ones find no pending migrations.
 *
 * @throws {SchemaTooNewError} if the database has a newer schema version
 */
export async function migrate(
  db: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  await db.transaction((transaction) => migrateLocked(transaction, migrations), {
    // Otherwise the default of the database, with which a process may not see what was committed while it waited.
    isolationLevel: "read committed",
    accessMode: "read write",
  });
}

async function migrateLocked(db: Database, migrations: readonly Migration[]): Promise<void> {
  await db.execute(lockFor("migrate"));
  await db.execute(sql`
    create table if not exists schema_versions (
      version integer primary key,
      name text not null,
      applied_at timestamptz not null default now()
    )`);
  const current = await readSchemaVersion(db);
  const known = latestVersion(migrations);
  if (current > known) throw new SchemaTooNewError(current, known);

  for (const migration of migrations) {
    if (migration.version > current) await apply(db, migration);
  }
}

function latestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/** Reads the version of the last applied migration; 0 for an empty database. */
export async function readSchemaVersion(db: Database): Promise<number> {
  const [table] = rowsOf(await db.execute(sql`select to_regclass('schema_versions') as name`));
  if (table?.["name"] === null) return 0;
  const [row] = rowsOf(
    await db.execute(sql`select coalesce(max(version), 0)::int as version from schema_versions`),
  );
  return Number(row?.["version"]);
}

async function apply(db: Database, { version, name, statements }: Migration): Promise<void> {
  for (const statement of statements) await db.execute(sql.raw(statement));
  await db.execute(sql`insert into schema_versions (version, name) values (${version}, ${name})`);
}
