// Migrations of a database that replicas of the previous version use.

import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { MIGRATIONS, migrate, SCHEMA_VERSION } from "../src/storage/migrate.ts";
import { createFlag } from "./_flags.ts";
import { createTestDatabase, skipsPostgres } from "./_postgres.ts";
import { ADMIN_TOKEN, type Service, startService } from "./_service.ts";
import { openDatabase } from "./_storages.ts";

const FAST = {
  version: SCHEMA_VERSION + 1,
  name: "fast",
  statements: ["alter table features add column addition text"],
};
const SLOW = {
  version: SCHEMA_VERSION + 2,
  name: "slow, like an index of a large table",
  statements: ["select pg_sleep(60)"],
};
const QUICK = { ...SLOW, statements: ["alter table events add column addition text"] };

async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function startPrevious(databaseUrl: string): Promise<Service> {
  const service = await startService(await openDatabase(databaseUrl));
  await createFlag(service, "flag");
  return service;
}

/** Reads the flags from the database. */
async function readFlags(service: Service): Promise<number> {
  const path = "/api/admin/projects/default/features";
  const response = await service.request(path, { token: ADMIN_TOKEN });
  await response.arrayBuffer();
  return response.status;
}

/** Waits until the only statement that matches a condition is there. Returns the id of its process. */
async function untilRunning(client: pg.Client, condition: string): Promise<number> {
  const find = async (): Promise<readonly { readonly pid: number }[]> => {
    const text = `select pid from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and ${condition}`;
    return (await client.query<{ pid: number }>(text)).rows;
  };
  await expect.poll(find, { timeout: 20_000 }).toHaveLength(1);
  return (await find())[0]?.pid ?? 0;
}

async function readVersion(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    "select max(version) as version from schema_versions",
  );
  return rows[0]?.version ?? 0;
}

describe.skipIf(skipsPostgres)("migrations while a replica of the previous version runs", () => {
  test("a migration that waits for a table lets others read it", async () => {
    const databaseUrl = await createTestDatabase();
    const previous = await startPrevious(databaseUrl);
    const reader = await connect(databaseUrl);
    const observer = await connect(databaseUrl);
    // Like a backup.
    await reader.query("begin");
    await reader.query("select from features");

    const migrating = migrate(drizzle(await connect(databaseUrl)), [...MIGRATIONS, FAST], {
      retryDelaysMs: Array.from({ length: 100 }, () => 200),
    });
    await untilRunning(observer, "query like 'alter table%' and wait_event_type = 'Lock'");
    expect(await readFlags(previous)).toBe(200);
    expect(await readVersion(observer)).toBe(SCHEMA_VERSION);

    await reader.query("commit");
    await migrating;
    expect(await readVersion(observer)).toBe(FAST.version);
    expect(await readFlags(previous)).toBe(200);
  });

  test("a migration fails with the reason when others do not stop using the table", async () => {
    const databaseUrl = await createTestDatabase();
    await startPrevious(databaseUrl);
    const reader = await connect(databaseUrl);
    await reader.query("begin");
    await reader.query("select from features");
    const db = drizzle(await connect(databaseUrl));
    const migrating = migrate(db, [...MIGRATIONS, FAST], { retryDelaysMs: [] });
    await expect(migrating).rejects.toMatchObject({ cause: { code: "55P03" } });
  });

  test("a migration may take longer than the statements that the database allows", async () => {
    const databaseUrl = await createTestDatabase();
    await startPrevious(databaseUrl);
    const client = await connect(databaseUrl);
    await client.query("set statement_timeout = '500ms'");
    const migrations = [...MIGRATIONS, { ...FAST, statements: ["select pg_sleep(1)"] }];
    await migrate(drizzle(client), migrations, { retryDelaysMs: [] });
    expect(await readVersion(client)).toBe(FAST.version);
    await expect(client.query("select pg_sleep(1)")).rejects.toThrow("statement timeout");
  });

  test("a slow migration keeps no locks of an earlier one, and if it is killed, the next start continues", async () => {
    const databaseUrl = await createTestDatabase();
    const previous = await startPrevious(databaseUrl);
    const observer = await connect(databaseUrl);
    const db = drizzle(await connect(databaseUrl));
    const migrating = migrate(db, [...MIGRATIONS, FAST, SLOW]);
    const failed = expect(migrating).rejects.toThrow();
    const pid = await untilRunning(observer, "query = 'select pg_sleep(60)' and state = 'active'");
    expect(await readFlags(previous)).toBe(200);
    await createFlag(previous, "during-the-migration");

    await observer.query("select pg_terminate_backend($1)", [pid]);
    await failed;
    expect(await readVersion(observer)).toBe(FAST.version);
    await createFlag(previous, "after-the-crash");

    await migrate(drizzle(await connect(databaseUrl)), [...MIGRATIONS, FAST, QUICK]);
    expect(await readVersion(observer)).toBe(QUICK.version);
    expect(await readFlags(previous)).toBe(200);
  });
});
