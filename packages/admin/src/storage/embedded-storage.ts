import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { drizzle, type PgliteDatabase } from "drizzle-orm/pglite";
import { createChangeFeed } from "./change-feed.ts";
import { lockDirectory } from "./directory-lock.ts";
import { DiskFullError } from "./disk-full.ts";
import { BYTES_PER_MB, describeShortage, DiskGuard, readFreeSpace } from "./disk-guard.ts";
import { EmbeddedMaintenance } from "./embedded-maintenance.ts";
import { migrate } from "./migrate.ts";
import { openDurable } from "./open-durable.ts";
import { CHANGES_CHANNEL, createSqlStorage, type Transact } from "./sql-storage.ts";
import type { Storage, StorageLogger } from "./storage.ts";
import { syncTree } from "./sync-tree.ts";

export interface EmbeddedOptions {
  /** Directory that holds the database and nothing else. Made when it is missing. */
  readonly dataDir: string;
  /** Writes are refused while less than this is free. @default 64 MB */
  readonly minFreeDiskBytes?: number | undefined;
  readonly logger: StorageLogger;
}

/** Four log segments: the largest write needs fewer, and other processes use the disk too. */
const MIN_FREE_DISK_BYTES = 64 * BYTES_PER_MB;
/** What a new database takes, its first log segments included. */
const NEW_DATABASE_BYTES = 64 * BYTES_PER_MB;

/**
 * Opens the database that runs inside this process, in a directory that no other process may use
 * meanwhile. A failure from which the database cannot recover is logged and ends the process.
 *
 * @throws {DirectoryInUseError} when another process has the directory
 * @throws {DiskFullError} when the disk has too little space for the database and a first write
 * @throws {EmbeddedStartError} when the database cannot start
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Storage> {
  const { dataDir, logger, minFreeDiskBytes = MIN_FREE_DISK_BYTES } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const isNew = !existsSync(completeMarkIn(dataDir));
  assertSpace(dataDir, minFreeDiskBytes + (isNew ? NEW_DATABASE_BYTES : 0));
  const lock = await lockDirectory(dataDir);
  try {
    const guard = new DiskGuard({ directory: dataDir, minFreeBytes: minFreeDiskBytes, logger });
    return await openLocked(dataDir, { logger, guard, release: () => lock.release() });
  } catch (error) {
    lock.release();
    throw error;
  }
}

function completeMarkIn(dataDir: string): string {
  return join(dataDir, "database.complete");
}

function assertSpace(dataDir: string, neededBytes: number): void {
  const shortage = describeShortage(readFreeSpace(dataDir), neededBytes);
  if (shortage !== undefined) throw new DiskFullError(shortage);
}

interface LockedParts {
  readonly logger: StorageLogger;
  readonly guard: DiskGuard;
  readonly release: () => void;
}

async function openLocked(dataDir: string, parts: LockedParts): Promise<Storage> {
  const { logger, guard, release } = parts;
  const directory = join(dataDir, "database");
  const completeMark = completeMarkIn(dataDir);
  const isNew = !existsSync(completeMark);
  if (isNew) prepareNew(directory, logger);

  const client = await openDurable(directory, {
    onPanic: (reason) => {
      logger.fatal(describePanic(directory, reason));
      process.exit(1);
    },
  });
  try {
    const db = drizzle(client);
    await migrate(db);
    if (isNew) await completeNew(client, { directory, dataDir, completeMark });

    const changes = createChangeFeed();
    await client.listen(CHANGES_CHANNEL, (payload) => changes.announce(Number(payload)));
    const maintenance = new EmbeddedMaintenance({ client, guard, logger });
    await maintenance.checkpointWhenDue();
    const close = async (): Promise<void> => {
      maintenance.close();
      await client.close();
      release();
    };
    const transact = createTransact(db, { guard, maintenance });
    const transactInTurn = transact;
    return createSqlStorage({
      kind: "embedded",
      db,
      transact,
      transactInTurn,
      changes,
      guard,
      close,
    });
  } catch (error) {
    await client.close();
    throw error;
  }
}

function describePanic(directory: string, reason: string): string {
  return (
    `The embedded database in ${directory} cannot continue, and the process ends: ${reason}. ` +
    "Everything that was acknowledged is stored: start again once the cause is removed"
  );
}

interface TransactParts {
  readonly guard: DiskGuard;
  readonly maintenance: EmbeddedMaintenance;
}

function createTransact(db: PgliteDatabase, { guard, maintenance }: TransactParts): Transact {
  return async (mode, work) => {
    if (mode === "read") return db.transaction(work, { accessMode: "read only" });
    const result = await db.transaction((transaction) => {
      // NOTE: here and not earlier, as other writes may have waited in front of this one.
      guard.assertWritable();
      return work(transaction);
    });
    await maintenance.checkpointWhenDue();
    return result;
  };
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
