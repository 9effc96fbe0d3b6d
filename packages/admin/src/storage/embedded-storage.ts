import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { PGlite } from "@electric-sql/pglite";
import { createDirectory } from "flags-server-kit/command-line";
import { lockDirectory, StartError } from "flags-server-kit";
import { drizzle, type PgliteDatabase } from "drizzle-orm/pglite";
import { createChangeFeed } from "./revisions.ts";
import { readTemplate } from "./database-template.ts";
import { DiskFullError } from "./errors.ts";
import { BYTES_PER_MB, describeShortage, DiskGuard, readFreeSpace } from "./disk-guard.ts";
import { EmbeddedMaintenance } from "./embedded-maintenance.ts";
import { migrate } from "./migrate.ts";
import { openDurable, syncTree } from "./pglite/durable-pglite.ts";
import { CHANGES_CHANNEL, createSqlStorage } from "./sql-storage.ts";
import type { Transact } from "./transactions.ts";
import type { Storage, StorageLogger, StorageOptions } from "./storage.ts";
import { WriteGate } from "./write-gate.ts";

/** Four log segments. The largest write needs fewer, but other processes use the disk too. */
const MIN_FREE_DISK_BYTES = 64 * BYTES_PER_MB;
/** Size of a new database, including its first log segments. */
const NEW_DATABASE_BYTES = 64 * BYTES_PER_MB;

/**
 * Opens the database that runs inside this process, and locks its directory against other processes.
 * If the database fails in a way it cannot recover from, the process logs the reason and exits with 1.
 *
 * @throws {DirectoryInUseError} if another process uses the directory
 * @throws {DiskFullError} if the disk has too little space for the database and a first write
 * @throws {EmbeddedStartError} if the database cannot start
 */
export async function openEmbedded(options: StorageOptions): Promise<Storage> {
  const { dataDir, logger, minFreeDiskBytes = MIN_FREE_DISK_BYTES } = options;
  const { prepareSchema = migrate, onCreating } = options;
  await createDirectory(dataDir, 0o700);
  const isNew = !hasEmbeddedDatabase(dataDir);
  assertSpace(dataDir, minFreeDiskBytes + (isNew ? NEW_DATABASE_BYTES : 0));
  const lock = await lockDirectory(dataDir, {
    onLost: () => {
      logger.fatal(
        `Another process uses ${dataDir} now, so this one ends: let only one service use it`,
      );
      process.exit(1);
    },
  });
  try {
    const guard = new DiskGuard({ directory: dataDir, minFreeBytes: minFreeDiskBytes, logger });
    const release = (): Promise<void> => lock.release();
    return await openLocked(dataDir, { logger, guard, prepareSchema, onCreating, release });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Checks whether a database could be created in a directory, which may be missing. Creates nothing.
 *
 * @throws what `openEmbedded()` would throw
 */
export async function checkNewDatabase({
  dataDir,
  minFreeDiskBytes = MIN_FREE_DISK_BYTES,
}: Pick<StorageOptions, "dataDir" | "minFreeDiskBytes">): Promise<void> {
  let existing = resolve(dataDir);
  while (!existsSync(existing)) existing = dirname(existing);
  if (!statSync(existing).isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" });
  accessSync(existing, constants.W_OK | constants.X_OK);
  assertSpace(existing, minFreeDiskBytes + NEW_DATABASE_BYTES);
}

/**
 * Checks that a command leaves no files in a database that its service could not open.
 *
 * @throws {StartError} if root would open the database of another user
 */
export function checkOwner(dataDir: string): void {
  const { uid } = statSync(join(dataDir, "database"));
  if (process.getuid?.() !== 0 || uid === 0) return;
  throw new StartError(
    `The database in ${dataDir} belongs to the user with the id ${uid}, who could not open the files that root would create in it: run the command as that user, or while the service runs`,
  );
}

/** Whether a directory contains a complete database. */
export function hasEmbeddedDatabase(dataDir: string): boolean {
  return existsSync(completionMarkerIn(dataDir));
}

function completionMarkerIn(dataDir: string): string {
  return join(dataDir, "database.complete");
}

function assertSpace(dataDir: string, neededBytes: number): void {
  const shortage = describeShortage(readFreeSpace(dataDir), neededBytes);
  if (shortage !== undefined) throw new DiskFullError(shortage);
}

interface LockedDependencies {
  readonly logger: StorageLogger;
  readonly guard: DiskGuard;
  readonly prepareSchema: NonNullable<StorageOptions["prepareSchema"]>;
  readonly onCreating: StorageOptions["onCreating"];
  readonly release: () => Promise<void>;
}

async function openLocked(dataDir: string, dependencies: LockedDependencies): Promise<Storage> {
  const { logger, guard, prepareSchema, onCreating, release } = dependencies;
  const directory = join(dataDir, "database");
  const completionMarker = completionMarkerIn(dataDir);
  const isNew = !existsSync(completionMarker);
  if (isNew) {
    prepareNew(directory, logger);
    onCreating?.(dataDir);
  }

  const client = await openDurable(directory, {
    template: isNew ? await readTemplate() : undefined,
    onPanic: (reason) => {
      logger.fatal(describePanic(directory, reason));
      process.exit(1);
    },
  });
  try {
    const db = drizzle(client);
    if (isNew) await handleEvents();
    await prepareSchema(db);
    if (isNew) {
      await handleEvents();
      await completeNew(client, { directory, dataDir, completionMarker });
    }

    const changes = createChangeFeed();
    await client.listen(CHANGES_CHANNEL, (payload) => changes.announce(Number(payload)));
    const maintenance = new EmbeddedMaintenance({ client, guard, logger });
    await maintenance.checkpointWhenDue();
    const close = async (): Promise<void> => {
      maintenance.close();
      await client.close();
      await release();
    };
    const gate = new WriteGate();
    // All transactions share the one connection, so writes need no separate one.
    const transact = createTransact(db, { guard, maintenance, gate });
    return createSqlStorage({
      kind: "embedded",
      db,
      transact,
      transactWrite: transact,
      readForLong: (work) => gate.hold(() => work(db)),
      changes,
      guard,
      close,
    });
  } catch (error) {
    await client.close();
    throw error;
  }
}

/**
 * Waits until the process has handled events such as signals. The embedded database runs in this thread, and its
 * promises resolve without returning to the event loop.
 */
async function handleEvents(): Promise<void> {
  // The first may resolve in the same turn of the event loop.
  await setImmediate();
  await setImmediate();
}

function describePanic(directory: string, reason: string): string {
  return (
    `The embedded database in ${directory} cannot continue, and the process ends: ${reason}. ` +
    "All acknowledged writes are stored: start the process again once the cause is fixed"
  );
}

interface TransactDependencies {
  readonly guard: DiskGuard;
  readonly maintenance: EmbeddedMaintenance;
  readonly gate: WriteGate;
}

function createTransact(
  db: PgliteDatabase,
  { guard, maintenance, gate }: TransactDependencies,
): Transact {
  return async (mode, work) => {
    if (mode === "read") return db.transaction(work, { accessMode: "read only" });
    const result = await gate.write(() =>
      db.transaction((transaction) => {
        // NOTE: checked here and not earlier, because other writes may have run while this one waited.
        guard.assertWritable();
        return work(transaction);
      }),
    );
    await maintenance.checkpointWhenDue();
    return result;
  };
}

/** Deletes a database whose creation was interrupted. It contains no acknowledged writes. */
function prepareNew(directory: string, logger: StorageLogger): void {
  if (existsSync(directory)) {
    logger.warn(`The database in ${directory} was never completed: creating it again`);
    rmSync(directory, { recursive: true });
  }
  mkdirSync(directory, { mode: 0o700 });
  chmodSync(directory, 0o700);
}

interface NewDatabase {
  readonly directory: string;
  readonly dataDir: string;
  readonly completionMarker: string;
}

async function completeNew(client: PGlite, paths: NewDatabase): Promise<void> {
  await client.exec("checkpoint");
  syncTree(paths.directory);
  writeFileSync(paths.completionMarker, "The database next to this file is complete.\n");
  syncTree(paths.completionMarker);
  syncTree(paths.dataDir, { depth: 0 });
}
