import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sized } from "../../../scripts/test-size.ts";
import { SYSTEM_ACTOR } from "../src/storage/events.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import { projects } from "../src/storage/schema/projects.ts";
import { skipRevisions } from "../src/storage/revisions.ts";
import type { Storage } from "../src/storage/storage.ts";
import { type Command, makeDataDirectory, startCommand } from "./_command.ts";
import { ADMIN_TOKEN } from "./_service.ts";
import { openDatabase, silentLogger } from "./_storages.ts";
import { type PostgresServer, skipsPostgres, startPostgres } from "./_postgres.ts";

const ROUNDS = sized(2, 5);

describe("the embedded database", () => {
  test("keeps every acknowledged change when the process is killed repeatedly", async () => {
    const dataDir = await makeDataDirectory();
    const environment = { DATA_DIR: dataDir, INIT_ADMIN_API_TOKENS: ADMIN_TOKEN };
    const acknowledged: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const command = startCommand(environment);
      const url = await command.listening();
      expect(await featureNames(url)).toEqual(expect.arrayContaining(acknowledged));
      await writeUntilKilled(command, url, { prefix: `r${round}`, acknowledged });
    }
    const command = startCommand(environment);
    const stored = await featureNames(await command.listening());
    expect(stored).toEqual(expect.arrayContaining(acknowledged));
    // Requests in progress when the process was killed may be stored too, but nothing else.
    expect(stored.length).toBeLessThanOrEqual(acknowledged.length + 3 * WRITERS);
  });

  test("a database that was never completed is created again, with private permissions", async () => {
    const dataDir = await makeDataDirectory();
    rmSync(join(dataDir, "database.complete"));
    rmSync(join(dataDir, "database", "global"), { recursive: true });
    const storage = await openStorage({ dataDir, logger: silentLogger });
    expect(await storage.revision()).toBe(0);
    await storage.close();
    expect(readdirSync(dataDir).toSorted()).toEqual(["database", "database.complete", "lock.1"]);
    expect(statSync(join(dataDir, "database")).mode & 0o077).toBe(0);
  });
});

const WRITERS = 4;

interface WriteOptions {
  readonly prefix: string;
  readonly acknowledged: string[];
}

async function writeUntilKilled(
  command: Command,
  url: string,
  writing: WriteOptions,
): Promise<void> {
  const { prefix, acknowledged } = writing;
  const target = acknowledged.length + 40;
  const write = async (writer: number): Promise<void> => {
    for (let count = 0; ; count++) {
      const name = `${prefix}-${writer}-${count}`;
      const response = await fetch(`${url}/api/admin/projects/default/features`, {
        method: "POST",
        headers: { authorization: ADMIN_TOKEN, "content-type": "application/json" },
        body: JSON.stringify({ name }),
      });
      expect(response.status).toBe(201);
      acknowledged.push(name);
      if (acknowledged.length >= target) command.child.kill("SIGKILL");
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  const results = await Promise.allSettled(writers);
  for (const result of results) expect(String(Object(result).reason)).toContain("fetch failed");
  await command.finished();
}

async function featureNames(url: string): Promise<string[]> {
  const response = await fetch(`${url}/api/admin/projects/default/features`, {
    headers: { authorization: ADMIN_TOKEN },
  });
  const { features } = (await response.json()) as { features: { name: string }[] };
  return features.map(({ name }) => name);
}

/** How long a client waits after a failed change before it tries the next one. */
const RETRY_DELAY_MS = 20;

describe.skipIf(skipsPostgres)("replicas on one PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

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

  test("replicas can start at the same time on an empty database", async () => {
    const databaseUrl = await server.createDatabase();
    const replicas = await Promise.all(Array.from({ length: 5 }, () => openDatabase(databaseUrl)));
    const rows = await Promise.all(replicas.map(({ db }) => db.select().from(projects)));
    expect(rows.map((found) => found.length)).toEqual([1, 1, 1, 1, 1]);
  });

  test("a replica can start while another one makes a change", async () => {
    const databaseUrl = await server.createDatabase();
    const [one, two] = [await openDatabase(databaseUrl), await openDatabase(databaseUrl)];
    await one.write(SYSTEM_ACTOR, async ({ record }) => {
      await skipRevisions(two);
      await record({ type: "project-created", project: "p", after: {} });
    });
    expect(await one.revision()).toBe(1);
  });

  test("replicas serve reads while more changes wait for the write lock than there are connections", async () => {
    const databaseUrl = await server.createDatabase();
    const [one, two] = [await openDatabase(databaseUrl), await openDatabase(databaseUrl)];
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

  test("replicas are notified of each other's changes", async () => {
    const databaseUrl = await server.createDatabase();
    const [one, two] = [await openDatabase(databaseUrl), await openDatabase(databaseUrl)];
    const change = nextChange(two);
    await addProject(one, "p");
    expect(await change).toBe(await one.revision());
  });

  test("replicas keep acknowledged changes when PostgreSQL is killed and restarted under load", async () => {
    const databaseUrl = await server.createDatabase();
    const first = await openDatabase(databaseUrl);
    const second = await openDatabase(databaseUrl);
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
            return delay(RETRY_DELAY_MS);
          },
        );
      }
    };
    const writers = replicas.flatMap((storage, replica) =>
      Array.from({ length: 3 }, (_, writer) => write(storage, `w${replica}-${writer}`)),
    );
    const waitUntilAcknowledged = async (count: number): Promise<void> => {
      while (acknowledged.length < count) await nextChange(first);
    };

    await waitUntilAcknowledged(30);
    await server.kill();
    await expect.poll(() => failures, { timeout: 30_000 }).toBeGreaterThan(0);
    await server.restart();
    await waitUntilAcknowledged(acknowledged.length + 30);
    stopping.abort();
    await Promise.all(writers);

    for (const { db } of replicas) {
      const rows = await db.select({ id: projects.id }).from(projects);
      expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
    }
    // Notifications work again.
    const change = nextChange(second);
    await addProject(first, "afterwards");
    expect(await change).toBe(await first.revision());
  });
});
