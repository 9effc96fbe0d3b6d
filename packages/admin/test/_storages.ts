import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe } from "vitest";
import { MIGRATIONS } from "../src/storage/migrate.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import type { Storage, StorageLogger } from "../src/storage/storage.ts";
import { type Databases, findPostgres, skipsPostgres, useSharedPostgres } from "./_postgres.ts";

export const silentLogger: StorageLogger = {
  warn: () => undefined,
  fatal: () => undefined,
};

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
 * it needs less processor time than the embedded database.
 */
export function describeAnyStorage(title: string, suite: (source: StorageSource) => void): void {
  describe(title, () => {
    suite(findPostgres() === undefined ? useEmbedded() : usePostgres());
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
  let databases: Databases | undefined;
  beforeAll(() => {
    databases = useSharedPostgres();
    cleanUps.push(() => databases?.close());
  });
  afterAll(() => runAll(cleanUps), 60_000);
  return {
    openFresh: async () => {
      if (databases === undefined) throw new Error("Storages can be opened only while tests run");
      const databaseUrl = await databases.createDatabase();
      const storage = await openStorage({ databaseUrl, dataDir: "", logger: silentLogger });
      cleanUps.push(() => storage.close());
      return storage;
    },
  };
}

async function runAll(cleanUps: readonly (() => Promise<void> | void)[]): Promise<void> {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
}

/**
 * Copies a new embedded database to a directory. Creating one takes seconds, so all test files share a
 * template for the same migrations.
 */
export async function copyFreshDatabase(directory: string): Promise<void> {
  const template = await ensureTemplate();
  for (const name of ["database", "database.complete"]) {
    cpSync(join(template, name), join(directory, name), { recursive: true });
  }
}

async function ensureTemplate(): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(MIGRATIONS)).digest("hex");
  const template = join(tmpdir(), `flags-admin-template-${hash.slice(0, 16)}`);
  if (existsSync(template)) return template;

  const isCreatedElsewhere = !tryCreateDirectory(`${template}.lock`);
  if (isCreatedElsewhere && (await waitFor(() => existsSync(template)))) return template;
  const draft = mkdtempSync(join(tmpdir(), "flags-admin-draft-"));
  const storage = await openStorage({ dataDir: draft, logger: silentLogger });
  await storage.close();
  try {
    renameSync(draft, template);
  } catch {
    // Another test file has created it in the meantime.
    rmSync(draft, { recursive: true, force: true });
  }
  rmSync(`${template}.lock`, { recursive: true, force: true });
  return template;
}

function tryCreateDirectory(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether the condition became true. It does not if the process that is to cause it was killed. */
async function waitFor(condition: () => boolean): Promise<boolean> {
  const deadline = Date.now() + 20_000;
  while (!condition() && Date.now() < deadline) await delay(50);
  return condition();
}
