import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sized } from "../../../scripts/test-size.ts";
import { type Command, makeDataDirectory, startCommand } from "./_command.ts";
import { type PostgresServer, skipsPostgres, startPostgres } from "./_postgres.ts";
import { type Receiver, startReceiver, withStatus } from "./_receiver.ts";
import { ADMIN_TOKEN } from "./_service.ts";

const FLAGS = sized(10, 60);

/** What happens to each flag, in this order. */
const TYPES = ["feature-created", "feature-stale-on", "feature-stale-off"] as const;

interface Replica {
  readonly command: Command;
  readonly url: string;
}

async function start(database: Record<string, string>, allowList = "127.0.0.1"): Promise<Replica> {
  const command = startCommand({
    ...database,
    INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
    WEBHOOK_ALLOW_LIST: allowList,
  });
  return { command, url: await command.listening() };
}

async function kill({ command }: Replica): Promise<void> {
  command.child.kill("SIGKILL");
  await command.finished();
}

async function call(url: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${url}/api/admin${path}`, {
    method,
    headers: { authorization: ADMIN_TOKEN, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

/** Makes one change of a flag. */
function change(url: string, type: (typeof TYPES)[number], name: string): Promise<unknown> {
  return type === "feature-created"
    ? call(url, "POST", "/projects/default/features", { name })
    : call(url, "POST", "/projects/default/stale", {
        features: [name],
        stale: type === "feature-stale-on",
      });
}

/** Notifies an allowed receiver, one that fails at first, and one that is no longer allowed afterwards. */
async function notifyThree(database: Record<string, string>) {
  const [receiver, failing, forbidden] = await Promise.all([
    startReceiver((response) => setTimeout(() => response.writeHead(204).end(), 20)),
    startReceiver(withStatus(503)),
    startReceiver(withStatus(200), "127.0.0.2"),
  ]);
  const before = await start(database, "127.0.0.1,127.0.0.2");
  for (const { url } of [receiver, failing, forbidden]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await call(before.url, "POST", "/addons", {
      provider: "webhook",
      enabled: true,
      parameters: { url },
      events: TYPES,
    });
  }
  await kill(before);
  return { receiver, failing, forbidden };
}

interface Sent {
  readonly type: string;
  readonly featureName: string;
}

/** Waits until a receiver got every event, and checks that those of a flag first arrived in order. */
async function checkReceived(receiver: Receiver): Promise<void> {
  const list = () => receiver.received.map(({ body }) => JSON.parse(body) as Sent);
  const keyOf = ({ type, featureName }: Sent): string => `${featureName} ${type}`;
  await expect
    .poll(() => new Set(list().map(keyOf)).size, { timeout: 120_000, interval: 200 })
    .toBe(FLAGS * TYPES.length);
  for (let index = 0; index < FLAGS; index++) {
    const ofFlag = list().filter(({ featureName }) => featureName === `flag-${index}`);
    expect([...new Set(ofFlag.map(({ type }) => type))]).toEqual(TYPES);
  }
  const ids = new Map<string, unknown>();
  for (const { body, headers } of receiver.received) {
    const key = keyOf(JSON.parse(body) as Sent);
    expect(ids.get(key) ?? headers["webhook-id"]).toBe(headers["webhook-id"]);
    ids.set(key, headers["webhook-id"]);
  }
}

describe.skipIf(skipsPostgres)("notifications of two replicas and PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test("all arrive, although replicas are killed, and none at a forbidden address", async () => {
    const database = { DATABASE_URL: await server.createDatabase() };
    const { receiver, failing, forbidden } = await notifyThree(database);
    let replicas = await Promise.all([start(database), start(database)]);
    for (const [position, type] of TYPES.entries()) {
      for (let index = 0; index < FLAGS; index++) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await change(replicas[index % 2]?.url ?? "", type, `flag-${index}`);
      }
      const killed = replicas[position % 2];
      // oxlint-disable no-await-in-loop -- one after the other
      if (killed !== undefined) await kill(killed);
      const restarted = await start(database);
      // oxlint-enable no-await-in-loop
      replicas = replicas.map((replica) => (replica === killed ? restarted : replica)) as [
        Replica,
        Replica,
      ];
    }
    await checkReceived(receiver);
    await checkReceived(failing);
    expect(forbidden.received).toEqual([]);
  });
});

test("notifications of the embedded database all arrive, although the service is killed", async () => {
  const database = { DATA_DIR: await makeDataDirectory() };
  const { receiver, failing, forbidden } = await notifyThree(database);
  for (const type of TYPES) {
    // oxlint-disable no-await-in-loop -- one after the other
    const service = await start(database);
    for (let index = 0; index < FLAGS; index++) await change(service.url, type, `flag-${index}`);
    await kill(service);
    // oxlint-enable no-await-in-loop
  }
  await start(database);
  await checkReceived(receiver);
  await checkReceived(failing);
  expect(forbidden.received).toEqual([]);
});
