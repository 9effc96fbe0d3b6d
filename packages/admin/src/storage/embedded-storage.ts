import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { drizzle, type PgliteDatabase } from "drizzle-orm/pglite";
import { createChangeFeed } from "./change-feed.ts";
import { lockDirectory } from "./directory-lock.ts";
import { migrate } from "./migrate.ts";
import { openDurable } from "./open-durable.ts";
import { CHANGES_CHANNEL, createSqlStorage, type Transact } from "./sql-storage.ts";
import type { Storage, StorageLogger } from "./storage.ts";
import { syncTree } from "./sync-tree.ts";

export interface EmbeddedOptions {
  /** Directory that holds the database and nothing else. Made when it is missing. */
  readonly dataDir: string;
  readonly logger: StorageLogger;
}

/**
 * Opens the database that runs inside this process, in a directory that no other process may use
 * meanwhile.
 *
 * @throws {DirectoryInUseError} when another process has the directory
 */
export async function openEmbedded({ dataDir, logger }: EmbeddedOptions): Promise<Storage> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(dataDir);
  try {
    return await openLocked(dataDir, { logger, release: () => lock.release() });
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface LockedParts {
  readonly logger: StorageLogger;
  readonly release: () => void;
}

async function openLocked(dataDir: string, { logger, release }: LockedParts): Promise<Storage> {
  const directory = join(dataDir, "database");
  const completeMark = join(dataDir, "database.complete");
  const isNew = !existsSync(completeMark);
  if (isNew) prepareNew(directory, logger);

  const client = await openDurable(directory);
  try {
    const db = drizzle(client);
    await migrate(db);
    if (isNew) await completeNew(client, { directory, dataDir, completeMark });

    const changes = createChangeFeed();
    await client.listen(CHANGES_CHANNEL, (payload) => changes.announce(Number(payload)));
    const close = async (): Promise<void> => {
      await client.close();
      release();
    };
    const transact = createTransact(db);
    const transactInTurn = transact;
    return createSqlStorage({ kind: "embedded", db, transact, transactInTurn, changes, close });
  } catch (error) {
    await client.close();
    throw error;
  }
}

function createTransact(db: PgliteDatabase): Transact {
  return (mode, work) =>
    db.transaction(work, mode === "write" ? undefined : { accessMode: "read only" });
}

/** A directory without its mark was given up half-made: nothing in it was ever answered. */
function prepareNew(directory: string, logger: StorageLogger): void {
  if (existsSync(directory)) {
    logger.warn(`The database in ${directory} was never completed: it is made anew`);
    rmSync(directory, { recursive: true });
  }
  mkdirSync(directory, { mode: 0o700 });
  chmodSync(directory, 0o700);
}

interface NewDatabase {
  readonly directory: string;
  readonly dataDir: string;
  readonly completeMark: string;
}

async function completeNew(client: PGlite, paths: NewDatabase): Promise<void> {
  await client.exec("checkpoint");
  syncTree(paths.directory);
  writeFileSync(paths.completeMark, "The database beside this file is complete.\n");
  syncTree(paths.completeMark);
  syncTree(paths.dataDir, { depth: 0 });
}
