import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { SYSTEM_ACTOR } from "../src/storage/event.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import { projects } from "../src/storage/schema/projects.ts";
import { skipRevisions } from "../src/storage/skip-revisions.ts";
import type { Storage } from "../src/storage/storage.ts";
import { startCommand, type Command } from "./_command.ts";
import { copyFreshDatabase } from "./_fresh-database.ts";
import { skipsPostgres, startPostgres, type PostgresServer } from "./_postgres.ts";
import { silentLogger } from "./_storages.ts";

const TOKEN = "*:*.the-admin-of-the-tests";

describe("the embedded database", () => {
  test("keeps every acknowledged change when the process is killed, again and again", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "flags-admin-"));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    await copyFreshDatabase(dataDir);
    const environment = { DATA_DIR: dataDir, INIT_ADMIN_API_TOKENS: TOKEN };
    const acknowledged: string[] = [];
    for (let round = 0; round < 3; round++) {
      const command = startCommand(environment);
      const url = await command.listening();
      expect(await featureNames(url)).toEqual(expect.arrayContaining(acknowledged));
      await writeUntilKilled(command, url, { prefix: `r${round}`, acknowledged });
    }
    const command = startCommand(environment);
    const kept = await featureNames(await command.listening());
    expect(kept).toEqual(expect.arrayContaining(acknowledged));
    // What was under way when the process was killed may be there too, but nothing else.
    expect(kept.length).toBeLessThanOrEqual(acknowledged.length + 3 * WRITERS);
  }, 120_000);

  test("tells a second process who has the directory", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "flags-admin-"));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    await copyFreshDatabase(dataDir);
    const first = startCommand({ DATA_DIR: dataDir });
    await first.listening();
    const second = await startCommand({ DATA_DIR: dataDir }).finished();
    expect(second.code).not.toBe(0);
    expect(second.stderr).toContain(`in use by process ${first.child.pid}`);
    expect(second.stderr).not.toContain("    at ");
  }, 60_000);

  test("makes a database anew that was never completed, and keeps others out of it", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "flags-admin-"));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    await copyFreshDatabase(dataDir);
    rmSync(join(dataDir, "database.complete"));
    rmSync(join(dataDir, "database", "global"), { recursive: true });
    const storage = await openStorage({ dataDir, logger: silentLogger });
    expect(await storage.revision()).toBe(0);
    await storage.close();
    expect(readdirSync(dataDir).toSorted()).toEqual(["database", "database.complete", "lock.1"]);
    expect(statSync(join(dataDir, "database")).mode & 0o077).toBe(0);
  }, 60_000);
});

const WRITERS = 4;

interface Writing {
  readonly prefix: string;
  readonly acknowledged: string[];
}

async function writeUntilKilled(command: Command, url: string, writing: Writing): Promise<void> {
  const { prefix, acknowledged } = writing;
  const enough = acknowledged.length + 40;
  const write = async (writer: number): Promise<void> => {
    for (let count = 0; ; count++) {
      const name = `${prefix}-${writer}-${count}`;
      const response = await fetch(`${url}/api/admin/projects/default/features`, {
        method: "POST",
        headers: { authorization: TOKEN, "content-type": "application/json" },
        body: JSON.stringify({ name }),
      });
      expect(response.status).toBe(201);
      acknowledged.push(name);
      if (acknowledged.length >= enough) command.child.kill("SIGKILL");
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  const results = await Promise.allSettled(writers);
  for (const result of results) expect(String(Object(result).reason)).toContain("fetch failed");
  await command.finished();
}

async function featureNames(url: string): Promise<string[]> {
  const response = await fetch(`${url}/api/admin/projects/default/features`, {
    headers: { authorization: TOKEN },
  });
  const { features } = (await response.json()) as { features: { name: string }[] };
  return features.map(({ name }) => name);
}

describe.skipIf(skipsPostgres)("replicas on one PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server.close());

  const open = async (databaseUrl: string): Promise<Storage> => {
    const storage = await openStorage({ databaseUrl, dataDir: "", logger: silentLogger });
    onTestFinished(() => storage.close());
    return storage;
  };
  const addProject = (storage: Storage, id: string): Promise<void> =>
    storage.write(SYSTEM_ACTOR, async ({ db, record }) => {
      await db.insert(projects).values({ id, name: id });
      await record({ type: "project-created", project: id, after: { id } });
    });
  const nextChange = (storage: Storage): Promise<number> =>
    new Promise((resolve) => {
      const stop = storage.onChange((revision) => {
        stop();
        resolve(revision);
      });
    });

  test("may start at the same time on an empty database", async () => {
    const databaseUrl = await server.createDatabase();
    const replicas = await Promise.all(Array.from({ length: 5 }, () => open(databaseUrl)));
    const rows = await Promise.all(replicas.map(({ db }) => db.select().from(projects)));
    expect(rows.map((found) => found.length)).toEqual([1, 1, 1, 1, 1]);
  });

  test("may start while another one is in the middle of a change", async () => {
    const databaseUrl = await server.createDatabase();
    const [one, two] = [await open(databaseUrl), await open(databaseUrl)];
    await one.write(SYSTEM_ACTOR, async ({ record }) => {
      await skipRevisions(two);
      await record({ type: "project-created", project: "p", after: {} });
    });
    expect(await one.revision()).toBe(1);
  });

  test("answer at once while more changes wait for their turn than there are connections", async () => {
    const databaseUrl = await server.createDatabase();
    const [one, two] = [await open(databaseUrl), await open(databaseUrl)];
    const ids = Array.from({ length: 20 }, (_, index) => `p${index}`);
    let waiting: readonly Promise<void>[] = [];
    await one.write(SYSTEM_ACTOR, async () => {
      waiting = ids.map((id) => addProject(two, id));
      expect(await two.revision()).toBe(0);
      await two.read((db) => db.select().from(projects));
    });
    await Promise.all(waiting);
    expect(await two.revision()).toBe(ids.length);
  });

  test("hear of each other's changes", async () => {
    const databaseUrl = await server.createDatabase();
    const [one, two] = [await open(databaseUrl), await open(databaseUrl)];
    const heard = nextChange(two);
    const start = performance.now();
    await addProject(one, "p");
    expect(await heard).toBe(await one.revision());
    expect(performance.now() - start).toBeLessThan(1000);
  });

  test("lose nothing acknowledged when PostgreSQL is killed and started again under load", async () => {
    const databaseUrl = await server.createDatabase();
    const first = await open(databaseUrl);
    const second = await open(databaseUrl);
    const replicas = [first, second];
    const acknowledged: string[] = [];
    let failures = 0;
    const stopping = new AbortController();
    const write = async (storage: Storage, writer: string): Promise<void> => {
      for (let count = 0; !stopping.signal.aborted; count++) {
        const id = `${writer}-${count}`;
        await addProject(storage, id).then(
          () => acknowledged.push(id),
          () => {
            failures += 1;
            return delay(20);
          },
        );
      }
    };
    const writers = replicas.flatMap((storage, replica) =>
      Array.from({ length: 3 }, (_, writer) => write(storage, `w${replica}-${writer}`)),
    );
    const untilAcknowledged = async (count: number): Promise<void> => {
      while (acknowledged.length < count) await nextChange(first);
    };

    await untilAcknowledged(30);
    await server.kill();
    await delay(300);
    await server.restart();
    await untilAcknowledged(acknowledged.length + 30);
    stopping.abort();
    await Promise.all(writers);

    expect(failures).toBeGreaterThan(0);
    for (const { db } of replicas) {
      const rows = await db.select({ id: projects.id }).from(projects);
      expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
    }
    // Changes of the other replica are heard again.
    const heard = nextChange(second);
    await addProject(first, "afterwards");
    await heard;
  }, 60_000);
});
