import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sized } from "../../../scripts/test-size.ts";
import { type Command, makeDataDirectory, startCommand } from "./_command.ts";
import { type PostgresServer, skipsPostgres, startPostgres } from "./_postgres.ts";
import { ADMIN_TOKEN } from "./_service.ts";

const SCHEDULES = sized(10, 200);
/** Every tenth flag is changed by hand before its schedule. */
const isChanged = (index: number): boolean => index % 10 === 9;

/** All schedules are due within this time, during which processes are killed. */
const DUE_WITHIN_MS = 10_000;

const NEW = "/projects/default/environments/development/change-requests";
const LIST = "/projects/default/change-requests";

interface Replica {
  command: Command;
  url: string;
}

async function start(database: Record<string, string>): Promise<Replica> {
  const command = startCommand({ ...database, INIT_ADMIN_API_TOKENS: ADMIN_TOKEN });
  return { command, url: await command.listening() };
}

interface Answer {
  readonly id: number;
  readonly state: string;
  readonly total: number;
  readonly schedule?: { readonly status: string; readonly reason?: string };
}

async function call(url: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${url}/api/admin${path}`, {
    method,
    headers: { authorization: ADMIN_TOKEN, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text === "" ? "{}" : text) as Answer;
}

/** Schedules a flag to be turned on. Returns the id of the request. */
async function schedule(url: string, index: number): Promise<number> {
  const feature = `flag-${index}`;
  await call(url, "POST", "/projects/default/features", { name: feature });
  const { id } = await call(url, "POST", NEW, {
    feature,
    action: "updateEnabled",
    payload: { enabled: true },
  });
  const scheduledAt = new Date(
    Date.now() + 3000 + (index * DUE_WITHIN_MS) / SCHEDULES,
  ).toISOString();
  await call(url, "PUT", `${LIST}/${id}/state`, { state: "Scheduled", scheduledAt });
  return id;
}

/** Waits until every schedule has been applied or suspended, and checks that each was exactly once. */
async function checkOutcome(url: string, ids: readonly number[]): Promise<void> {
  const isSettled = async (id: number): Promise<boolean> => {
    const { state, schedule: planned } = await call(url, "GET", `${LIST}/${id}`);
    return state === "Applied" || planned?.status === "suspended";
  };
  for (const id of ids) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await expect.poll(() => isSettled(id), { timeout: 120_000, interval: 200 }).toBe(true);
  }
  for (const [index, id] of ids.entries()) {
    // oxlint-disable no-await-in-loop -- one after the other
    const { state, schedule: planned } = await call(url, "GET", `${LIST}/${id}`);
    expect([index, state, planned?.status]).toEqual(
      isChanged(index) ? [index, "Scheduled", "suspended"] : [index, "Applied", "pending"],
    );
    if (isChanged(index)) expect(planned?.reason).toMatch(/^Somebody has changed/);
    const switched = await call(
      url,
      "GET",
      `/search/events?feature=IS:flag-${index}&type=IS:feature-environment-enabled`,
    );
    expect([index, switched.total]).toEqual([index, 1]);
    // oxlint-enable no-await-in-loop
  }
  for (const [type, total] of [
    ["success", ids.filter((_, index) => !isChanged(index)).length],
    ["failure", 0],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const recorded = await call(
      url,
      "GET",
      `/search/events?type=IS:change-request-scheduled-application-${type}`,
    );
    expect([type, recorded.total]).toEqual([type, total]);
  }
}

/** Creates the schedules, and changes some of the flags by hand. */
async function scheduleAll(url: string): Promise<readonly number[]> {
  const ids: number[] = [];
  for (let index = 0; index < SCHEDULES; index++) {
    // oxlint-disable no-await-in-loop -- one after the other
    ids.push(await schedule(url, index));
    if (isChanged(index)) {
      await call(
        url,
        "POST",
        `/projects/default/features/flag-${index}/environments/development/on`,
      );
    }
    // oxlint-enable no-await-in-loop
  }
  return ids;
}

describe.skipIf(skipsPostgres)("schedules on three replicas and PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test("are applied once each or suspended, although replicas are killed", async () => {
    const database = { DATABASE_URL: await server.createDatabase() };
    const first = await start(database);
    const [second, third] = await Promise.all([start(database), start(database)]);
    const ids = await scheduleAll(first.url);
    for (const replica of [second, third]) {
      // oxlint-disable no-await-in-loop -- one after the other
      replica.command.child.kill("SIGKILL");
      await replica.command.finished();
      await delay(500);
      Object.assign(replica, await start(database));
      // oxlint-enable no-await-in-loop
    }
    await checkOutcome(first.url, ids);
  });
});

test("schedules on the embedded database are applied once each or suspended, although the service is killed", async () => {
  const database = { DATA_DIR: await makeDataDirectory() };
  const service = await start(database);
  const ids = await scheduleAll(service.url);
  service.command.child.kill("SIGKILL");
  await service.command.finished();
  const restarted = await start(database);
  await checkOutcome(restarted.url, ids);
});
