import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import { isComplete } from "../../../scripts/test-size.ts";
import { MIGRATIONS } from "../src/storage/migrate.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import type { Storage, StorageLogger, StorageOptions } from "../src/storage/storage.ts";
import {
  findPostgres,
  type SharedDatabases,
  skipsPostgres,
  useSharedPostgres,
} from "./_postgres.ts";

/** So long that a busy machine is no failure: tests send many requests at once, which wait for a connection. */
const CONNECT_TIMEOUT_MS = 60_000;

export const silentLogger: StorageLogger = {
  warn: () => undefined,
  fatal: () => undefined,
};

/**
 * Makes V8 compile WebAssembly once, with little optimization. It would otherwise compile the embedded database a
 * second time in the background, for seconds of CPU time, which pays off only in processes that run for longer than
 * a test.
 */
export const QUICK_WEB_ASSEMBLY = "--liftoff-only";

/** Opens storages of one kind, and closes them after the tests. */
export interface StorageSource {
  /** Opens a storage that contains only the initial data. */
  openFresh(): Promise<Storage>;
}

/**
 * Runs the same tests against each kind of storage. Suites receive a source and not a storage, because
 * the database starts only when tests run.
 */
export function describeEachStorage(title: string, suite: (source: StorageSource) => void): void {
  describe(`${title} on the embedded database`, () => {
    suite(useEmbedded());
  });
  describe.skipIf(skipsPostgres)(`${title} on PostgreSQL`, () => {
    suite(usePostgres());
  });
}

/**
 * Runs tests of behaviour that does not depend on the kind of storage, on PostgreSQL if it is installed:
 * it needs less CPU time than the embedded database.
 */
export function describeAnyStorage(title: string, suite: (source: StorageSource) => void): void {
  describe(title, () => {
    suite(findPostgres() === undefined ? useEmbedded() : usePostgres());
  });
}

/**
 * Runs tests of behaviour that depends on the storage only through the same SQL: with TEST_SIZE=complete on
 * each kind of storage, otherwise on any.
 */
export const describeStorages = isComplete ? describeEachStorage : describeAnyStorage;

function useEmbedded(): StorageSource {
  const cleanUps: (() => Promise<void> | void)[] = [];
  afterAll(() => runAll(cleanUps));
  return {
    openFresh: async () => {
      const dataDir = mkdtempSync(join(tmpdir(), "flags-admin-"));
      cleanUps.push(() => rmSync(dataDir, { recursive: true, force: true }));
      await copyFreshDatabase(dataDir);
      const storage = await openStorage({ dataDir, logger: silentLogger });
      cleanUps.push(() => storage.close());
      return storage;
    },
  };
}

function usePostgres(): StorageSource {
  const cleanUps: (() => Promise<void> | void)[] = [];
  let databases: SharedDatabases | undefined;
  beforeAll(() => {
    databases = useSharedPostgres();
    cleanUps.push(() => databases?.close());
  });
  afterAll(() => runAll(cleanUps));
  return {
    openFresh: async () => {
      if (databases === undefined) throw new Error("Storages can be opened only while tests run");
      const databaseUrl = await databases.createMigratedDatabase();
      const storage = await openStorage({ ...onPostgres(databaseUrl), logger: silentLogger });
      cleanUps.push(() => storage.close());
      return storage;
    },
  };
}

function onPostgres(databaseUrl: string): Omit<StorageOptions, "logger"> {
  return { databaseUrl, dataDir: "", connectTimeoutMs: CONNECT_TIMEOUT_MS };
}

/** Opens a database on PostgreSQL for the duration of a test. */
export async function openDatabase(
  databaseUrl: string,
  logger: StorageLogger = silentLogger,
): Promise<Storage> {
  const storage = await openStorage({ ...onPostgres(databaseUrl), logger });
  onTestFinished(() => storage.close());
  return storage;
}

async function runAll(cleanUps: readonly (() => Promise<void> | void)[]): Promise<void> {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
}

/** Copies a new embedded database to a directory, because creating one takes seconds. */
export async function copyFreshDatabase(directory: string): Promise<void> {
  const template = await ensureTemplate();
  for (const name of ["database", "database.complete"]) {
    cpSync(join(template, name), join(directory, name), { recursive: true });
  }
}

/** Applies all migrations to a database on PostgreSQL, and closes its connections. */
export async function migratePostgres(databaseUrl: string): Promise<void> {
  const storage = await openStorage({ ...onPostgres(databaseUrl), logger: silentLogger });
  await storage.close();
}

/** Creates the database that is copied, unless there is one with the same migrations. Returns its directory. */
export async function ensureTemplate(): Promise<string> {
  setFlagsFromString(QUICK_WEB_ASSEMBLY);
  const hash = createHash("sha256").update(JSON.stringify(MIGRATIONS)).digest("hex");
  const template = join(tmpdir(), `flags-admin-template-${hash.slice(0, 16)}`);
  if (existsSync(template)) return template;

  const draft = mkdtempSync(join(tmpdir(), "flags-admin-draft-"));
  const storage = await openStorage({ dataDir: draft, logger: silentLogger });
  await storage.close();
  try {
    renameSync(draft, template);
  } catch {
    // Another run of the tests has created it in the meantime.
    rmSync(draft, { recursive: true, force: true });
  }
  return template;
}
