import { tmpdir } from "node:os";
import type { TestProject } from "vitest/node";
import { findPostgres, startPostgres } from "./_postgres.ts";

/** Nothing kills this server, so waiting for the disk would only take time. */
const SETTINGS = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];

/** Starts one PostgreSQL server for all test files of this package. Each test has its own database. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (findPostgres() === undefined) {
    project.provide("postgresPort", undefined);
    return undefined;
  }
  const server = await startPostgres(tmpdir(), SETTINGS);
  project.provide("postgresPort", server.port);
  return () => server.close();
}
