import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { copyFreshDatabase } from "../../test/_storages.ts";
import { DiskGuard } from "./disk-guard.ts";
import { EmbeddedMaintenance } from "./embedded-maintenance.ts";
import { openDurable } from "./pglite/durable-pglite.ts";

const directory = mkdtempSync(join(tmpdir(), "flags-maintenance-"));
await copyFreshDatabase(directory);
const client = await openDurable(join(directory, "database"), {
  onPanic: (reason) => expect.unreachable(reason),
});
afterAll(async () => {
  await client.close();
  rmSync(directory, { recursive: true, force: true });
});

function maintain(intervals: {
  readonly checkIntervalMs?: number;
  readonly vacuumIntervalMs?: number;
}) {
  const warnings: string[] = [];
  const logger = {
    warn: (line: string) => warnings.push(line),
    fatal: () => undefined,
  };
  const guard = new DiskGuard({ directory, minFreeBytes: 0, logger });
  const maintenance = new EmbeddedMaintenance({ client, guard, logger, ...intervals });
  onTestFinished(() => {
    maintenance.close();
    expect(warnings).toEqual([]);
  });
  return maintenance;
}

const countSegments = (): number =>
  readdirSync(join(directory, "database/pg_wal")).filter((name) => /^[0-9A-F]{24}$/.test(name))
    .length;
const writeLog = (bytes: number): Promise<unknown> =>
  client.query("select pg_logical_emit_message(true, 'test', repeat('x', $1))", [bytes]);

test("checkpointWhenDue() keeps the log within 64 MB under any number of writes", async () => {
  const maintenance = maintain({});
  for (let count = 0; count < 40; count++) {
    await writeLog(4_000_000);
    await maintenance.checkpointWhenDue();
    expect(countSegments()).toBeLessThanOrEqual(5);
  }
});

test("EmbeddedMaintenance creates a segment before the log needs it", async () => {
  const maintenance = maintain({});
  for (let count = 0; count < 20; count++) {
    const before = countSegments();
    await writeLog(3_000_000);
    // The write itself created no segment; only a checkpoint does.
    if (count > 0) expect(countSegments()).toBe(before);
    await maintenance.checkpointWhenDue();
  }
});

test("EmbeddedMaintenance runs checkpoints without writes", async () => {
  const readRedo = async (): Promise<unknown> =>
    (await client.query("select redo_lsn from pg_control_checkpoint()")).rows;
  const before = await readRedo();
  await writeLog(20_000_000);
  maintain({ checkIntervalMs: 20 });
  await expect.poll(readRedo).not.toEqual(before);
});

test("EmbeddedMaintenance updates statistics, and frees the space of deleted rows", async () => {
  await client.exec(
    "create table v as select repeat('x', 1000) as x from generate_series(1, 5000)",
  );
  await client.exec("delete from v");
  const readSize = async (): Promise<unknown> =>
    (await client.query<{ size: number }>("select pg_relation_size('v') as size")).rows[0]?.size;
  expect(await readSize()).toBeGreaterThan(0);
  maintain({ vacuumIntervalMs: 1000 });
  await expect.poll(readSize, { timeout: 60_000 }).toBe(0);
  const readStatistics = async (): Promise<unknown> =>
    (await client.query("select from pg_stats where tablename = 'environments'")).rows.length;
  await expect.poll(readStatistics, { timeout: 60_000 }).toBeGreaterThan(0);
});
