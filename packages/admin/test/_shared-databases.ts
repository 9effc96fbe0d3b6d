import { tmpdir } from "node:os";
import type { TestProject } from "vitest/node";
import { findPostgres, prepareSharedPostgres, startPostgres } from "./_postgres.ts";
import { ensureTemplate, migratePostgres } from "./_storages.ts";

/** Nothing kills this server, so waiting for the disk would only take time. */
const SETTINGS = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];

/** The tests that use databases. */
const DATABASE_TESTS = /\/packages\/(?:admin|console|proxy)\/test\//;

/**
 * Creates the template of embedded databases, and starts one PostgreSQL server for all test files, with a
 * template of its databases. Each test has its own database. Other tests do not wait for this.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const files = project.vitest.state.getPaths();
  const usesDatabases = files.some((file) => DATABASE_TESTS.test(file));
  if (usesDatabases) await ensureTemplate();
  if (!usesDatabases || findPostgres() === undefined) {
    project.provide("postgresPort", undefined);
    return undefined;
  }
  const server = await startPostgres(tmpdir(), SETTINGS);
  await prepareSharedPostgres(server.port, migratePostgres);
  project.provide("postgresPort", server.port);
  return () => server.close();
}
