import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { sql } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import { restoreBackup } from "../src/backup/restore-backup.ts";
import { writeBackup } from "../src/backup/write-backup.ts";
import { writeOutputFile } from "../src/cli/output-file.ts";
import { rowsOf } from "../src/storage/database.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import { skipRevisions } from "../src/storage/revisions.ts";
import type { Storage } from "../src/storage/storage.ts";
import { makeDataDirectory, makeDirectory, startCommand } from "./_command.ts";
import { openStream } from "./_event-stream.ts";
import { createUser, logIn } from "./_accounts.ts";
import { createFlag, createSegment, switchFlag } from "./_flags.ts";
import { openDatabase, silentLogger } from "./_storages.ts";
import { createTestDatabase, findPostgres, skipsPostgres } from "./_postgres.ts";
import { signIn } from "./_sessions.ts";
import { BACKEND_TOKEN, endApp, type Service, startService } from "./_service.ts";

const token = BACKEND_TOKEN;

/** A database that can be backed up and restored while it is closed. */
interface Restorable {
  open(): Promise<Storage>;
  backUp(): Promise<void> | void;
  restore(): Promise<void> | void;
}

interface KnownState {
  readonly etag: string;
  readonly isEnabled: boolean | undefined;
}

describe.skipIf(skipsPostgres)("a restored backup on PostgreSQL", () => {
  test("every SDK that has seen later revisions fetches a restored backup", async () => {
    const databaseUrl = await createTestDatabase();
    const file = join(makeDirectory(), "flags.dump");
    const run = (program: string, ...args: readonly string[]): void => {
      execFileSync(join(findPostgres() ?? "", program), args, { stdio: "pipe" });
    };
    await expectRestoredIsFetched({
      open: () => openStorage({ databaseUrl, dataDir: "", logger: silentLogger }),
      backUp: () => run("pg_dump", "--format=custom", `--file=${file}`, databaseUrl),
      restore: () =>
        run(
          "pg_restore",
          "--clean",
          "--if-exists",
          "--single-transaction",
          `--dbname=${databaseUrl}`,
          file,
        ),
    });
  });
});

/** Runs a subcommand of the built command, which must succeed. */
async function runCommand(environment: Record<string, string>, ...args: string[]): Promise<void> {
  const { code, stderr } = await startCommand(environment, args).finished();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
}

describe("a file of flags-admin backup", () => {
  test("every SDK that has seen later revisions fetches the backup once it is restored", async () => {
    const [dataDir, directory] = [await makeDataDirectory(), makeDirectory()];
    const file = join(directory, "flags.backup");
    const run = (command: string) => runCommand({ DATA_DIR: dataDir }, command, "--file", file);
    await expectRestoredIsFetched({
      open: () => openStorage({ dataDir, logger: silentLogger }),
      backUp: () => run("backup"),
      restore: async () => {
        rmSync(dataDir, { recursive: true });
        await run("restore");
      },
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test.skipIf(skipsPostgres)(
    "a backup moves everything from the embedded database to PostgreSQL",
    async () => {
      const databaseUrl = await createTestDatabase();
      const [dataDir, directory] = [await makeDataDirectory(), makeDirectory()];
      const files = ["one", "two"].map((name) => join(directory, name));
      const [file = "", again = ""] = files;
      const embedded = { DATA_DIR: dataDir };
      const postgres = { DATABASE_URL: databaseUrl };
      const storage = await openStorage({ dataDir, logger: silentLogger });
      await skipRevisions(storage);
      const service = await startService(storage);
      const segment = await createSegment(service, "nordic", ["a", "\u{1f600}'\\\""]);
      await createFlag(service, "flag", { strategies: [{ segments: [segment] }, {}] });
      await createFlag(service, "child");
      await service.admin("POST", "/projects/default/features/child/dependencies", {
        feature: "flag",
      });
      await storage.db.execute(sql`
      insert into feature_usage (feature, app_name, environment, hour, yes)
      select 'flag', 'app' || number, 'development', now(), 9007199254740993 + number
      from generate_series(1, 450) as number`);
      const jane = await createUser(service, "jane");
      await service.admin("POST", "/projects/default/access", { roles: [4], users: [jane.id] });
      const { cookie: headers } = await signIn(service);
      const before = await poll(service);
      const revision = await storage.revision();
      await endApp(service.app);
      await storage.close();

      await runCommand(embedded, "backup", "--file", file);
      await runCommand(postgres, "restore", "--file", file);
      await runCommand(postgres, "backup", "--file", again);
      const [lines, copied] = [file, again].map((name) => {
        const [header = "", ...rows] = gunzipSync(readFileSync(name))
          .toString()
          .trimEnd()
          .split("\n");
        return { header: JSON.parse(header) as { createdAt?: string; tables?: string[] }, rows };
      });
      expect(copied?.rows).toEqual(lines?.rows);
      expect(lines?.header.tables).not.toContain("sessions");
      expect({ ...copied?.header, createdAt: "" }).toEqual({ ...lines?.header, createdAt: "" });

      const restored = await openDatabase(databaseUrl);
      expect(await restored.revision()).toBe(revision);
      const moved = await startService(restored);
      expect((await moved.request("/auth/session", { headers })).status).toBe(401);
      // Accounts and roles are restored, and the password still signs in.
      const ofJane = await logIn(moved, "jane");
      const own = await moved.request("/api/admin/projects/default", { headers: ofJane });
      expect(await own.json()).toMatchObject({ callerRole: "owner" });
      expect((await poll(moved, before.etag)).isEnabled).toBeUndefined();
      // New rows get new ids.
      expect(await createSegment(moved, "more", ["x"])).toBeGreaterThan(segment);
      await createFlag(moved, "new");
      expect(await restored.revision()).toBeGreaterThan(revision);

      const refused = await startCommand(postgres, ["restore", "--file", file]).finished();
      expect(refused.code).toBe(1);
      expect(refused.stderr).toBe(
        `Cannot restore ${file}, since the database is not empty: create an empty one\n`,
      );
    },
  );

  test("a backup is restored completely or not at all", async () => {
    const [dataDir, directory] = [await makeDataDirectory(), makeDirectory()];
    const file = join(directory, "flags.backup");
    const storage = await openStorage({ dataDir, logger: silentLogger });
    await createFlag(await startService(storage), "flag");
    await writeOutputFile(file, (output) => writeBackup(storage, output));
    await storage.close();

    const text = gunzipSync(readFileSync(file)).toString();
    const lines = text.split("\n");
    const damaged = {
      "it is not a backup of flags-admin": [
        "",
        "no JSON",
        "{}\n",
        text.replace("flags-admin-", "x"),
      ],
      "a newer version of flags-admin wrote it: restore it with that version": [
        text.replace('"version":1', '"version":2'),
      ],
      "it is incomplete": [lines.slice(0, -2).join("\n"), lines[0] ?? ""],
      "it is damaged": [
        text.replace('"name": "flag"', '"nome": "flag"'),
        lines.toSpliced(2, 1).join("\n"),
        lines.toSpliced(2, 1, '{"table":"pg_class","rows":[{}]}').join("\n"),
      ],
    };
    const target = await openStorage({ dataDir: await makeDataDirectory(), logger: silentLogger });
    onTestFinished(() => target.close());
    const open = async () => ({ ...target, close: () => Promise.resolve() });
    for (const [message, texts] of Object.entries(damaged)) {
      for (const broken of texts) {
        writeFileSync(file, gzipSync(broken));
        await expect(restoreBackup(file, open), broken.slice(0, 80)).rejects.toThrow(message);
      }
    }
    writeFileSync(file, "not compressed");
    await expect(restoreBackup(file, open)).rejects.toThrow("it is not a backup of flags-admin");
    writeFileSync(file, gzipSync(text).subarray(0, -20));
    await expect(restoreBackup(file, open)).rejects.toThrow("it is damaged");
    expect(await target.revision()).toBe(0);
    writeFileSync(file, gzipSync(text));
    await restoreBackup(file, open);
    expect(await target.revision()).toBeGreaterThan(0);
  });

  test("a file that cannot be restored does not create a database", async () => {
    const [dataDir, directory] = [await makeDataDirectory(), makeDirectory()];
    const file = join(directory, "flags.backup");
    await runCommand({ DATA_DIR: dataDir }, "backup", "--file", file);
    const content = readFileSync(file);
    const newer = gunzipSync(content)
      .toString()
      .replace(/"schemaVersion":\d+/, '"schemaVersion":999');
    const target = join(directory, "new");
    for (const broken of [content.subarray(0, -20), gzipSync(newer)]) {
      writeFileSync(file, broken);
      const restore = startCommand({ DATA_DIR: target }, ["restore", "--file", file]);
      const { code, stderr } = await restore.finished();
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining(`Cannot restore ${file}: it `) as string,
      });
      expect(existsSync(target)).toBe(false);
    }
  });

  test("a backup can be restored however large its events are", async () => {
    const file = join(makeDirectory(), "flags.backup");
    const storage = await openStorage({ dataDir: await makeDataDirectory(), logger: silentLogger });
    onTestFinished(() => storage.close());
    await storage.db.execute(sql`
      insert into events (type, created_by, actor_kind, data)
      select 'context-field-updated', 'test', 'system',
        to_jsonb(repeat('x', case when number % 3 = 0 then 3000000 else 1 end))
      from generate_series(1, 9) as number`);
    await writeOutputFile(file, (output) => writeBackup(storage, output));
    const lines = gunzipSync(readFileSync(file)).toString().split("\n");
    const ofEvents = lines.filter((line) => line.startsWith('{"table":"events"'));
    expect(ofEvents).toHaveLength(2);
    expect(Math.max(...ofEvents.map(({ length }) => length))).toBeLessThan(9 * 1024 * 1024);

    const target = await openStorage({ dataDir: await makeDataDirectory(), logger: silentLogger });
    onTestFinished(() => target.close());
    let timeout: unknown;
    const transact: Storage["transact"] = (work) =>
      target.transact(async (db) => {
        const result = await work(db);
        timeout = rowsOf(await db.execute(sql`show idle_in_transaction_session_timeout`))[0];
        return result;
      });
    await restoreBackup(file, async () => ({ ...target, transact, close: async () => {} }));
    expect(timeout).toEqual({ idle_in_transaction_session_timeout: "0" });
    const digest = sql`select md5(string_agg(id || md5(data::text), '' order by id)) from events`;
    expect(rowsOf(await target.db.execute(digest))).toEqual(
      rowsOf(await storage.db.execute(digest)),
    );
  });

  test.each([
    [["backup"], 2, "--file is required: the path of the backup file"],
    [["restore"], 2, "--file is required: the path of the backup file"],
    [
      ["backup", "--file", "x"],
      1,
      "There is no database in missing: set DATA_DIR or DATABASE_URL as for the service",
    ],
    [["restore", "--file", "missing/x"], 1, "Cannot use the file missing/x: there is no such file"],
    [
      ["backup", "--file", "missing/x"],
      1,
      "Cannot use the file missing/x: there is no directory missing",
    ],
    [["backup", "--file", "."], 1, "Cannot use the file .: it is a directory"],
    [["backup", "--file", tmpdir()], 1, `Cannot use the file ${tmpdir()}: it is a directory`],
  ])("%j explains in one line what is missing", async (args, exitCode, message) => {
    const { code, stderr } = await startCommand({ DATA_DIR: "missing" }, args).finished();
    expect({ code, stderr }).toEqual({ code: exitCode, stderr: `${message}\n` });
  });
});

/** Enables a flag, backs up, disables the flag and restores. SDKs must see the flag enabled again. */
async function expectRestoredIsFetched(database: Restorable): Promise<void> {
  await runService(database, "2026-05-01", (service) => createFlag(service, "flag"));
  await database.backUp();
  const [polled, listened] = await runService(database, "2026-05-02", async (service) => {
    await switchFlag(service, "flag", { on: false });
    return [await poll(service), await fetchDelta(service)] as const;
  });
  expect([polled.isEnabled, listened.isEnabled]).toEqual([false, false]);
  await database.restore();

  await runService(database, "2026-05-03", async (service) => {
    await expectFetched(service, { polled, listened });
    // More changes than after the backup, so that without skipRevisions() the revisions would collide.
    for (const name of ["b", "c"]) await createFlag(service, name);
    await expectFetched(service, { polled, listened });
  });
}

interface BeforeRestore {
  readonly polled: KnownState;
  readonly listened: KnownState;
}

async function expectFetched(service: Service, { polled, listened }: BeforeRestore): Promise<void> {
  expect((await poll(service, polled.etag)).isEnabled).toBe(true);
  expect((await fetchDelta(service, listened.etag)).isEnabled).toBe(true);
  const stream = await openStream(service, {
    token,
    lastEventId: listened.etag.slice(1, -1),
  });
  const { data } = await stream.next();
  expect(data.events[0]).toMatchObject({ type: "hydration" });
  stream.close();
}

async function runService<T>(
  database: Restorable,
  day: string,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const storage = await database.open();
  await skipRevisions(storage, { now: new Date(day) });
  const service = await startService(storage);
  const result = await work(service);
  await endApp(service.app);
  await storage.close();
  return result;
}

interface SentFlag {
  readonly name: string;
  readonly enabled: boolean;
}

async function poll(service: Service, etag?: string): Promise<KnownState> {
  return query<{ features: readonly SentFlag[] }>(service, {
    path: "/api/client/features",
    etag,
    featuresIn: ({ features }) => features,
  });
}

async function fetchDelta(service: Service, etag?: string): Promise<KnownState> {
  return query<{ events: readonly { features?: readonly SentFlag[] }[] }>(service, {
    path: "/api/client/delta",
    etag,
    featuresIn: ({ events }) => events.flatMap(({ features = [] }) => features),
  });
}

interface Query<Body> {
  readonly path: string;
  readonly etag: string | undefined;
  readonly featuresIn: (body: Body) => readonly SentFlag[];
}

async function query<Body>(
  service: Service,
  { path, etag, featuresIn }: Query<Body>,
): Promise<KnownState> {
  const headers = etag === undefined ? undefined : { "if-none-match": etag };
  const response = await service.request(path, { token, ...(headers && { headers }) });
  const text = await response.text();
  const sent = text === "" ? [] : featuresIn(JSON.parse(text) as Body);
  return {
    etag: response.headers.get("etag") ?? "",
    isEnabled: sent.find(({ name }) => name === "flag")?.enabled,
  };
}
