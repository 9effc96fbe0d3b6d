import { sql } from "drizzle-orm";
import { isSetupOpen } from "../accounts/setup.ts";
import { type Database, firstRow, rowsOf } from "../storage/database.ts";
import { readSchemaVersion, SCHEMA_VERSION } from "../storage/migrate.ts";

/** What `flags-admin check` reports about a database. */
export interface DatabaseFacts {
  /** Version of the last applied migration; 0 without tables. */
  readonly schemaVersion: number;
  /** Version of PostgreSQL. */
  readonly serverVersion: string;
  readonly sizeBytes: number;
  /** Whether nobody can administer the service, apart from users of OpenID Connect. False if the tables are of another version. */
  readonly isSetupOpen: boolean;
  /** Whether this user can create tables, which migrations do. */
  readonly canCreateTables: boolean;
}

/** What a running service reports about itself. */
export interface ServiceStatus {
  readonly version: string;
  readonly processId: number;
  /** The port on which it listens. */
  readonly port: number;
  readonly database: DatabaseFacts;
}

/** Reads the facts about a database whose tables may be missing, or of another version. */
export async function readDatabaseFacts(db: Database): Promise<DatabaseFacts> {
  const schemaVersion = await readSchemaVersion(db);
  const row = firstRow(
    rowsOf(
      await db.execute(sql`
        select current_setting('server_version') as "serverVersion",
          pg_database_size(current_database())::text as "sizeBytes",
          coalesce(has_schema_privilege(current_schema(), 'create'), false) as "canCreateTables"`),
    ),
  );
  return {
    schemaVersion,
    serverVersion: String(row["serverVersion"]),
    sizeBytes: Number(row["sizeBytes"]),
    isSetupOpen: schemaVersion === SCHEMA_VERSION && (await isSetupOpen(db)),
    canCreateTables: row["canCreateTables"] === true,
  };
}
