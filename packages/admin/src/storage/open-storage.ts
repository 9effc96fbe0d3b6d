import { openEmbedded } from "./embedded-storage.ts";
import { openPostgres } from "./postgres-storage.ts";
import type { Storage, StorageLogger } from "./storage.ts";

export interface StorageOptions {
  /** A PostgreSQL database. Without it, the embedded one in `dataDir` is used. */
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
  readonly logger: StorageLogger;
}

/**
 * Opens the database and brings its schema up to date.
 *
 * @throws {SchemaTooNewError} when a newer version of this program has used it
 * @throws {DirectoryInUseError} when another process has the embedded database open
 */
export function openStorage({ databaseUrl, dataDir, logger }: StorageOptions): Promise<Storage> {
  return databaseUrl === undefined
    ? openEmbedded({ dataDir, logger })
    : openPostgres({ databaseUrl, logger });
}
