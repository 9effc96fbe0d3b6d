import { fstatSync, fsyncSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { copyFreshDatabase } from "../../../test/_storages.ts";
import { openDurable } from "./durable-pglite.ts";

const directory = mkdtempSync(join(tmpdir(), "flags-durable-"));
const synced: number[] = [];
await copyFreshDatabase(directory);
const client = await openDurable(join(directory, "database"), {
  onPanic: (reason) => expect.unreachable(reason),
  syncFile: (descriptor) => {
    fsyncSync(descriptor);
    synced.push(fstatSync(descriptor).ino);
  },
});
afterAll(async () => {
  await client.close();
  rmSync(directory, { recursive: true, force: true });
});

test("openDurable() flushes the log to disk before each change is acknowledged", async () => {
  await client.exec("create table t (a int)");
  const current = await client.query<{ name: string }>(
    "select pg_walfile_name(pg_current_wal_lsn()) as name",
  );
  const log = statSync(join(directory, "database/pg_wal", current.rows[0]?.name ?? "")).ino;
  for (let count = 0; count < 5; count++) {
    synced.length = 0;
    await client.query("insert into t values (1)");
    expect(synced).toContain(log);
  }
});

test("openDurable() flushes the tables to disk before a checkpoint discards its log", async () => {
  await client.exec("insert into t select generate_series(1, 1000)");
  synced.length = 0;
  await client.exec("checkpoint");
  const { rows } = await client.query<{ path: string }>("select pg_relation_filepath('t') as path");
  expect(synced).toContain(statSync(join(directory, "database", rows[0]?.path ?? "")).ino);
});

test("openDurable() enables fsync", async () => {
  const { rows } = await client.query("show fsync");
  expect(rows).toEqual([{ fsync: "on" }]);
});

test("openDurable() lets other work run between the statements of a transaction", async () => {
  let turns = 0;
  let immediate: NodeJS.Immediate | undefined;
  const countTurns = (): void => {
    turns += 1;
    immediate = setImmediate(countTurns);
  };
  await client.transaction(async (transaction) => {
    countTurns();
    for (let count = 0; count < 20; count++) {
      await transaction.query("select count(*) from generate_series(1, 50000)");
    }
    clearImmediate(immediate);
  });
  expect(turns).toBeGreaterThan(5);
});
