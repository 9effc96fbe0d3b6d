import { sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { lockFor } from "./locks.ts";
import { ALL_MIGRATIONS } from "./migrations/all-migrations.ts";
import type { Migration } from "./migrations/migration.ts";

/** The database was used by a newer version of this program, which this one cannot undo. */
export class SchemaTooNewError extends Error {
  override readonly name = "SchemaTooNewError";

  constructor(found: number, known: number) {
    super(
      `The database has schema version ${found}, and this program knows versions up to ${known}: ` +
        "run the newer version again, or restore a backup that is as old as this one",
    );
  }
}

/**
 * Brings the schema up to date, all or nothing. Several processes may do so at once: they take turns,
 * and the later ones find nothing left to do.
 */
export async function migrate(
  db: Database,
  migrations: readonly Migration[] = ALL_MIGRATIONS,
): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction.execute(lockFor("migrate"));
    const current = await readVersion(transaction);
    const known = migrations.at(-1)?.version ?? 0;
    if (current > known) throw new SchemaTooNewError(current, known);

    for (const migration of migrations) {
      if (migration.version > current) await apply(transaction, migration);
    }
  });
}

async function readVersion(db: Database): Promise<number> {
  await db.execute(sql`
    create table if not exists schema_versions (
      version integer primary key,
      name text not null,
      applied_at timestamptz not null default now()
    )`);
  const found: unknown = await db.execute(
    sql`select coalesce(max(version), 0)::int as version from schema_versions`,
  );
  return (
    (found as { readonly rows: readonly { readonly version: number }[] }).rows[0]?.version ?? 0
  );
}

async function apply(db: Database, { version, name, statements }: Migration): Promise<void> {
  for (const statement of statements) await db.execute(sql.raw(statement));
  await db.execute(sql`insert into schema_versions (version, name) values (${version}, ${name})`);
}
