import { openEmbedded } from "./embedded-storage.ts";
import { openPostgres } from "./postgres-storage.ts";
import type { Storage, StorageLogger } from "./storage.ts";

export interface StorageOptions {
  /** A PostgreSQL database. Without it, the embedded one in `dataDir` is used. */
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
  /** The embedded database refuses writes while less than this is free. @default 64 MB */
  readonly minFreeDiskBytes?: number | undefined;
  readonly logger: StorageLogger;
}

/**
 * Opens the database and brings its schema up to date.
 *
 * @throws {SchemaTooNewError} when a newer version of this program has used it
 * @throws {DirectoryInUseError} when another process has the embedded database open
 * @throws {DiskFullError} when the disk has too little space for the embedded database
 * @throws {EmbeddedStartError} when the embedded database cannot start
 */
export function openStorage(options: StorageOptions): Promise<Storage> {
  const { databaseUrl, logger } = options;
  return databaseUrl === undefined ? openEmbedded(options) : openPostgres({ databaseUrl, logger });
}
