import type { Database } from "./database.ts";
import type { Storage, StorageOptions } from "./storage.ts";

/**
 * Opens the database and applies pending migrations.
 *
 * @throws {SchemaTooNewError} if a newer version of this program has migrated the database
 * @throws {DirectoryInUseError} if another process has opened the embedded database
 * @throws {DiskFullError} if the disk has too little space for the embedded database
 * @throws {EmbeddedStartError} if the embedded database cannot start
 */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { databaseUrl, connectTimeoutMs, logger, prepareSchema } = options;
  // NOTE: imported here, because each takes time to load and only one is needed.
  if (databaseUrl === undefined) {
    const { openEmbedded } = await import("./embedded-storage.ts");
    return openEmbedded(options);
  }
  const { openPostgres } = await import("./postgres-storage.ts");
  return openPostgres({ databaseUrl, connectTimeoutMs, logger, prepareSchema });
}

/**
 * Uses a database without preparing its tables, which may be missing or of another version. An embedded database must exist.
 *
 * @throws what `openStorage()` throws, except for the version
 */
export async function useUnprepared<T>(
  options: StorageOptions,
  use: (db: Database) => Promise<T>,
): Promise<T> {
  const { databaseUrl } = options;
  if (databaseUrl !== undefined) {
    const { usePostgres } = await import("./postgres-storage.ts");
    return usePostgres({ ...options, databaseUrl }, use);
  }
  const storage = await openStorage({ ...options, prepareSchema: async () => undefined });
  try {
    return await use(storage.db);
  } finally {
    await storage.close();
  }
}
