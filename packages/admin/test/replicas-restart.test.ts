import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCommand, type Command } from "./_command.ts";
import { skipsPostgres, startPostgres, type PostgresServer } from "./_postgres.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN } from "./_service.ts";

/** How long a client waits after a failed request before it sends the next one. */
const RETRY_DELAY_MS = 20;

/** A running command that can be killed and restarted. */
interface Replica {
  command: Command;
  url: string;
}

async function startReplica(databaseUrl: string): Promise<Replica> {
  const command = startCommand({
    DATABASE_URL: databaseUrl,
    INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
    INIT_CLIENT_API_TOKENS: BACKEND_TOKEN,
  });
  return { command, url: await command.listening() };
}

async function create(url: string, name: string): Promise<boolean> {
  const response = await fetch(`${url}/api/admin/projects/default/features`, {
    method: "POST",
    headers: { authorization: ADMIN_TOKEN, "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
  await response.arrayBuffer();
  return response.status === 201;
}

/** Returns the names of the flags that SDKs receive. */
async function fetchFlags(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/api/client/features`, {
    headers: { authorization: BACKEND_TOKEN },
  });
  expect(response.status).toBe(200);
  const { features } = (await response.json()) as { features: { name: string }[] };
  return features.map(({ name }) => name);
}

describe.skipIf(skipsPostgres)("two flags-admin commands on one PostgreSQL server", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test("keep acknowledged changes when one is killed or frozen or PostgreSQL is killed, and serve each other's changes", async () => {
    const databaseUrl = await server.createDatabase();
    const replicas = [await startReplica(databaseUrl), await startReplica(databaseUrl)] as const;
    const [one, two] = replicas;
    const acknowledged: string[] = [];
    const stop = new AbortController();
    const writers = replicas.map(async (replica, index) => {
      for (let count = 0; !stop.signal.aborted; count++) {
        const name = `flag-${index}-${count}`;
        const isCreated = await create(replica.url, name).catch(() => false);
        if (isCreated) acknowledged.push(name);
        else await delay(RETRY_DELAY_MS);
      }
    });
    const waitForMore = async (more: number): Promise<void> => {
      const target = acknowledged.length + more;
      await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(target);
    };

    await waitForMore(20);
    for (let round = 0; round < 2; round++) {
      one.command.child.kill("SIGKILL");
      await one.command.finished();
      await waitForMore(10);
      Object.assign(one, await startReplica(databaseUrl));
      await waitForMore(10);
    }
    // Frozen, it may hold the write lock, which the server then frees.
    two.command.child.kill("SIGSTOP");
    await waitForMore(10);
    two.command.child.kill("SIGCONT");
    await server.kill();
    await server.restart();
    await waitForMore(20);
    stop.abort();
    await Promise.all(writers);

    for (const { url } of replicas) {
      expect(await fetchFlags(url)).toEqual(expect.arrayContaining(acknowledged));
    }
    // Each replica serves the change of the other one in the next response.
    for (const [from, to] of [
      [one, two],
      [two, one],
    ] as const) {
      const name = `from-${from === one ? "one" : "two"}`;
      expect(await create(from.url, name)).toBe(true);
      expect(await fetchFlags(to.url)).toContain(name);
    }
  });
});
