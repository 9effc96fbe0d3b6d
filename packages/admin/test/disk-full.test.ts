import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startCommand } from "./_command.ts";
import { copyFreshDatabase, openDatabase } from "./_storages.ts";
import { skipsPostgres, startPostgres } from "./_postgres.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN, startService } from "./_service.ts";
import { mountSmallDisk, skipsSmallDisks, type SmallDisk } from "./_small-disk.ts";

const MIN_FREE_MB = 32;

/** Mounts a small disk with a database that was created on another disk. */
async function prepareDisk(): Promise<SmallDisk & { readonly settings: Record<string, string> }> {
  const disk = mountSmallDisk(200);
  await copyFreshDatabase(disk.directory);
  const settings = {
    DATA_DIR: disk.directory,
    MIN_FREE_DISK_MB: String(MIN_FREE_MB),
    INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
    INIT_CLIENT_API_TOKENS: BACKEND_TOKEN,
  };
  return { ...disk, settings };
}

async function request(url: string, path: string, body?: unknown) {
  const response = await fetch(url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: path.startsWith("/api/client") ? BACKEND_TOKEN : ADMIN_TOKEN,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, retryAfter: response.headers.get("retry-after"), text };
}

const metricOf = (text: string, name: string): number =>
  Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);

const createFlag = (url: string, name: string) =>
  request(url, "/api/admin/projects/default/features", { name });

async function listFlags(url: string): Promise<string[]> {
  const { text } = await request(url, "/api/admin/projects/default/features");
  const { features } = JSON.parse(text) as { features: { name: string }[] };
  return features.map(({ name }) => name);
}

/** Creates a segment that does not compress. It takes space twice: in its table and in the events. */
const createSegment = (url: string, name: string) =>
  request(url, "/api/admin/segments", {
    name,
    constraints: Array.from({ length: 30 }, () => ({
      contextName: "userId",
      operator: "IN",
      values: Array.from({ length: 30 }, () => randomBytes(70).toString("base64url")),
    })),
  });

const usage = () => ({
  appName: "shop",
  instanceId: "one",
  bucket: {
    start: new Date().toISOString(),
    stop: new Date().toISOString(),
    toggles: { acknowledged: { yes: 1, no: 0 } },
  },
});

async function expectWritesRefused(url: string): Promise<void> {
  const writes = [
    createFlag(url, "refused"),
    request(url, "/api/client/metrics", usage()),
    request(url, "/api/client/register", { appName: "refused", strategies: [] }),
  ];
  for (const { status, retryAfter, text } of await Promise.all(writes)) {
    expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: "10" });
    expect(JSON.parse(text)).toEqual({
      id: expect.any(String),
      name: "InsufficientStorageError",
      message: expect.stringContaining("not enough disk space"),
      details: [{ message: expect.stringContaining("not enough disk space") }],
    });
  }
  const ready = await request(url, "/ready");
  expect(ready.status).toBe(503);
  expect(JSON.parse(ready.text)).toMatchObject({
    name: "InsufficientStorageError",
    message: "Not ready for writes: there is not enough disk space. Reads are still served",
  });
}

async function expectReadsServed(url: string): Promise<void> {
  expect(await listFlags(url)).toContain("acknowledged");
  const paths = ["/health", "/api/client/features", "/api/admin/events", "/api/admin/context"];
  const reads = await Promise.all(paths.map((path) => request(url, path)));
  expect(reads.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
}

describe.skipIf(skipsSmallDisks)("flags-admin on the embedded database and a small disk", () => {
  test("rejects writes before they fill the disk, serves reads, and accepts writes again", async () => {
    const disk = await prepareDisk();
    disk.fillUpTo(MIN_FREE_MB + 20);
    const command = startCommand(disk.settings);
    const url = await command.listening();
    expect((await createFlag(url, "acknowledged")).status).toBe(201);
    expect((await request(url, "/ready")).status).toBe(200);

    const acknowledged: string[] = [];
    for (let count = 0; ; count++) {
      const { status } = await createSegment(url, `s${count}`);
      if (status === 503) break;
      expect(status).toBe(201);
      acknowledged.push(`s${count}`);
      expect(count).toBeLessThan(1000);
    }
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(disk.freeBytes()).toBeGreaterThan((MIN_FREE_MB - 20) * 1_048_576);
    await expectWritesRefused(url);
    await expectReadsServed(url);
    const metrics = (await request(url, "/internal-backstage/prometheus")).text;
    expect(metricOf(metrics, "flags_admin_disk_free_bytes")).toBe(disk.freeBytes());
    expect(metricOf(metrics, "flags_admin_disk_full_errors_total")).toBe(4);

    disk.release();
    expect((await createFlag(url, "resumed")).status).toBe(201);
    expect((await request(url, "/api/client/metrics", usage())).status).toBe(202);
    expect((await request(url, "/ready")).status).toBe(200);

    command.child.kill("SIGKILL");
    await command.finished();
    const again = await startCommand(disk.settings).listening();
    expect(await listFlags(again)).toEqual(expect.arrayContaining(["acknowledged", "resumed"]));
    const { text } = await request(again, "/api/admin/segments");
    const { segments } = JSON.parse(text) as { segments: { name: string }[] };
    const names = segments.map(({ name }) => name);
    expect(names).toHaveLength(acknowledged.length);
    expect(names).toEqual(expect.arrayContaining(acknowledged));
  });

  test("survives another process that fills the disk: reads, SIGTERM and a later start work", async () => {
    const disk = await prepareDisk();
    const command = startCommand(disk.settings);
    const url = await command.listening();
    expect((await createFlag(url, "acknowledged")).status).toBe(201);
    expect((await request(url, "/api/client/metrics", usage())).status).toBe(202);

    disk.fillUpTo(0);
    expect(disk.freeBytes()).toBe(0);
    for (let round = 0; round < 20; round++) {
      await expectWritesRefused(url);
      await expectReadsServed(url);
    }
    command.child.kill("SIGTERM");
    const { code, stdout, stderr } = await command.finished();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.match(/ WARN: .*/g)).toEqual([
      expect.stringMatching(
        /Writes to .* are rejected: 0 MB .* at least 32 MB .* MIN_FREE_DISK_MB/,
      ),
    ]);

    const refused = await startCommand(disk.settings).finished();
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^Cannot use the directory .*: 0 MB of disk space .*\n$/);

    disk.release();
    const again = await startCommand(disk.settings).listening();
    expect(await listFlags(again)).toEqual(["acknowledged"]);
    const report = await request(
      again,
      "/api/admin/client-metrics/features/acknowledged/raw?hoursBack=24",
    );
    const { data } = JSON.parse(report.text) as { data: { yes: number }[] };
    expect(data.reduce((sum, { yes }) => sum + yes, 0)).toBe(1);
  });

  test("does not create a database without enough space, and says so in one line", async () => {
    const disk = mountSmallDisk(90);
    const settings = { DATA_DIR: join(disk.directory, "data"), MIN_FREE_DISK_MB: "32" };
    const { code, stdout, stderr } = await startCommand(settings).finished();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^Cannot use the directory .*: \d+ MB .* at least 96 MB .* DATA_DIR\n$/);
  });

  test("creates a database and accepts writes with exactly the required space", async () => {
    const disk = mountSmallDisk(96);
    const command = startCommand({
      DATA_DIR: disk.directory,
      MIN_FREE_DISK_MB: "32",
      INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
    });
    expect((await createFlag(await command.listening(), "first")).status).toBe(201);
  });

  test("ends with a message and keeps acknowledged writes if the disk fills up during a write", async () => {
    const disk = await prepareDisk();
    const command = startCommand(disk.settings);
    expect((await createFlag(await command.listening(), "acknowledged")).status).toBe(201);
    command.child.kill("SIGTERM");
    await command.finished();

    const { code, stdout } = await runProgram(`
        import { statfsSync, writeFileSync } from "node:fs";
        import { sql } from ${JSON.stringify(import.meta.resolve("drizzle-orm"))};
        const write = (message) => console.log(message);
        const logger = { info: write, warn: write, fatal: (message) => write("FATAL: " + message) };
        const directory = ${JSON.stringify(disk.directory)};
        const storage = await openStorage({ dataDir: directory, logger });
        await storage.transact(async (db) => {
          const { bavail, bsize } = statfsSync(directory);
          writeFileSync(directory + "/filler", Buffer.alloc(bavail * bsize));
          for (let count = 0; count < 1000; count++) {
            await db.execute(sql\`select pg_logical_emit_message(true, 'x', repeat('x', 100000))\`);
          }
        });
        console.log("not reached");`);
    expect(code).toBe(1);
    // The guard, which checks the disk every few seconds, may be first to report it.
    expect(stdout).toMatch(
      /^(?:Writes to .* are rejected: .*\n)?FATAL: The embedded database in .* cannot continue, and the process ends: could not write to file "pg_wal.*No space left on device.*\n$/,
    );

    disk.release();
    expect(await listFlags(await startCommand(disk.settings).listening())).toEqual([
      "acknowledged",
    ]);
  });
});

describe.skipIf(skipsPostgres || skipsSmallDisks)(
  "flags-admin on PostgreSQL and a small disk",
  () => {
    test("responds to writes with 503, serves reads, and accepts writes again", async () => {
      const disk = mountSmallDisk(300);
      // PostgreSQL runs as a different user.
      chmodSync(disk.directory, 0o777);
      const server = await startPostgres(disk.directory);
      onTestFinished(() => server.close());
      const databaseUrl = await server.createDatabase();
      const service = await startService(await openDatabase(databaseUrl));
      const createLargeSegment = (name: string) =>
        service.request("/api/admin/segments", {
          method: "POST",
          token: ADMIN_TOKEN,
          body: {
            name,
            constraints: Array.from({ length: 10 }, () => ({
              contextName: "userId",
              operator: "IN",
              values: Array.from({ length: 10 }, () => randomBytes(70).toString("base64url")),
            })),
          },
        });
      expect((await createLargeSegment("stored")).status).toBe(201);

      disk.fillUpTo(0);
      let refused = await createLargeSegment("s0");
      for (let count = 1; refused.status === 201; count++) {
        expect(count).toBeLessThan(200);
        refused = await createLargeSegment(`s${count}`);
      }
      expect(refused.status).toBe(503);
      expect(refused.headers.get("retry-after")).toBe("10");
      const text = await refused.text();
      expect(JSON.parse(text)).toMatchObject({ name: "InsufficientStorageError" });
      expect(text).not.toMatch(/insert|base\/|postgres/i);
      const ready = await service.request("/ready");
      expect(ready.status).toBe(503);
      expect(await ready.json()).toMatchObject({ name: "InsufficientStorageError" });
      const read = await service.request("/api/admin/segments", { token: ADMIN_TOKEN });
      expect(read.status).toBe(200);
      expect(await read.text()).toContain("stored");
      const metrics = await (await service.request("/internal-backstage/prometheus")).text();
      expect(metrics).toMatch(/^flags_admin_disk_full_errors_total 1$/m);
      expect(metrics).not.toContain("flags_admin_disk_free_bytes");

      disk.release();
      expect((await createLargeSegment("resumed")).status).toBe(201);
      expect((await service.request("/ready")).status).toBe(200);
    });
  },
);

/** Runs a program that can call `openStorage` of the built package. */
function runProgram(source: string): Promise<{ readonly code: unknown; readonly stdout: string }> {
  const index = new URL("../dist/index.js", import.meta.url).href;
  const program = `import { openStorage } from ${JSON.stringify(index)};${source}`;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--input-type=module", "--eval", program],
      { timeout: 60_000, killSignal: "SIGKILL" },
      (error, stdout) => resolve({ code: error === null ? 0 : error.code, stdout }),
    );
  });
}
