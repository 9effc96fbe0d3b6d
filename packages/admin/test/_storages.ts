import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { openStorage } from "../src/storage/open-storage.ts";
import type { Storage, StorageLogger } from "../src/storage/storage.ts";
import { copyFreshDatabase } from "./_fresh-database.ts";
import { skipsPostgres, startPostgres, type PostgresServer } from "./_postgres.ts";

export const silentLogger: StorageLogger = {
  info: () => undefined,
  warn: () => undefined,
  fatal: () => undefined,
};

/** Opens storages of one kind; all are closed when the tests have run. */
export interface StorageSource {
  /** A storage with nothing in it but what a fresh one holds. */
  openFresh(): Promise<Storage>;
}

/**
 * Runs the same tests against each kind of storage. Suites get a source, not a storage: the database
 * is there once tests run.
 */
export function describeEachStorage(title: string, suite: (source: StorageSource) => void): void {
  describe(`${title} on the embedded database`, () => {
    suite(useEmbedded());
  });
  describe.skipIf(skipsPostgres)(`${title} on PostgreSQL`, () => {
    suite(usePostgres());
  });
}

function useEmbedded(): StorageSource {
  const cleanUps: (() => Promise<void> | void)[] = [];
  afterAll(() => runAll(cleanUps), 60_000);
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
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    server = await startPostgres();
    cleanUps.push(() => server?.close());
  }, 60_000);
  afterAll(() => runAll(cleanUps), 60_000);
  return {
    openFresh: async () => {
      if (server === undefined) throw new Error("Open storages when tests run, not before");
      const databaseUrl = await server.createDatabase();
      const storage = await openStorage({ databaseUrl, dataDir: "", logger: silentLogger });
      cleanUps.push(() => storage.close());
      return storage;
    },
  };
}

async function runAll(cleanUps: readonly (() => Promise<void> | void)[]): Promise<void> {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
}
