import type { Database } from "./database.ts";
import type { Storage, StorageLogger } from "./storage.ts";

export interface StorageOptions {
  /** URL of a PostgreSQL database. @default the embedded database in `dataDir` */
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
  /** The embedded database refuses writes while less disk space than this is free. @default 64 MB */
  readonly minFreeDiskBytes?: number | undefined;
  readonly logger: StorageLogger;
  /** Called before an embedded database is created, which takes seconds. */
  readonly onCreating?: ((directory: string) => void) | undefined;
  /** Prepares the tables before anything else is done. @default applies pending migrations */
  readonly prepareSchema?: ((db: Database) => Promise<void>) | undefined;
}

/**
 * Opens the database and applies pending migrations.
 *
 * @throws {SchemaTooNewError} if a newer version of this program has migrated the database
 * @throws {DirectoryInUseError} if another process has opened the embedded database
 * @throws {DiskFullError} if the disk has too little space for the embedded database
 * @throws {EmbeddedStartError} if the embedded database cannot start
 */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { databaseUrl, logger, prepareSchema } = options;
  // NOTE: imported here, because each takes time to load and only one is needed.
  if (databaseUrl === undefined) {
    const { openEmbedded } = await import("./embedded-storage.ts");
    return openEmbedded(options);
  }
  const { openPostgres } = await import("./postgres-storage.ts");
  return openPostgres({ databaseUrl, logger, prepareSchema });
}
