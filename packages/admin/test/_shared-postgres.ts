import type { TestProject } from "vitest/node";
import { findPostgres, startPostgres } from "./_postgres.ts";

/** Starts one PostgreSQL server for all test files of this package. Each test has its own database. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (findPostgres() === undefined) {
    project.provide("postgresPort", undefined);
    return undefined;
  }
  const server = await startPostgres();
  project.provide("postgresPort", server.port);
  return () => server.close();
}
