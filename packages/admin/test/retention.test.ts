import { inArray, sql } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { DEFAULT_RETENTION, deleteExpired, deleteRegularly } from "../src/retention.ts";
import { sessions } from "../src/storage/schema/access.ts";
import {
  invitedUsers,
  inviteLinks,
  personalTokens,
  setupCodes,
  userLinks,
} from "../src/storage/schema/accounts.ts";
import { events } from "../src/storage/schema/events.ts";
import {
  applicationInstances,
  applications,
  featureUsage,
  variantUsage,
} from "../src/storage/schema/usage.ts";
import type { Storage } from "../src/storage/storage.ts";
import { createFlag, switchFlag } from "./_flags.ts";
import { createTestDatabase, skipsPostgres } from "./_postgres.ts";
import {
  BACKEND_TOKEN,
  KNOWS_SEGMENTS,
  type Service,
  startService,
  useService,
} from "./_service.ts";
import { describeEachStorage, openDatabase } from "./_storages.ts";

const token = BACKEND_TOKEN;
const HOUR_MS = 3_600_000;
const KEEP_A_YEAR = { ...DEFAULT_RETENTION, eventDays: 365 };
const running = new AbortController().signal;

function hoursAgo(hours: number): Date {
  return new Date(Date.now() - hours * HOUR_MS);
}

function ageEvents(storage: Storage, days: number): Promise<unknown> {
  return storage.db.execute(
    sql`update events set created_at = now() - ${`${days} days`}::interval`,
  );
}

async function fetchState(service: Service, path: string, etag?: string) {
  const headers = { ...KNOWS_SEGMENTS, ...(etag !== undefined && { "if-none-match": etag }) };
  const response = await service.request(`/api/client/${path}`, { token, headers });
  return {
    status: response.status,
    etag: response.headers.get("etag"),
    body: await response.text(),
  };
}

describeEachStorage("deleteExpired()", (source) => {
  const service = useService(source);

  test("deletes the usage of expired hours, as configured", async () => {
    const row = { feature: "old", appName: "a", environment: "e" };
    const { db } = service.storage;
    await db
      .insert(featureUsage)
      .values([101, 99, 49, 47].map((hours) => ({ ...row, hour: hoursAgo(hours), yes: hours })));
    await db
      .insert(variantUsage)
      .values([101, 99].map((hours) => ({ ...row, hour: hoursAgo(hours), variant: "v" })));
    const counts = async () => (await db.select().from(featureUsage)).map(({ yes }) => yes);

    const longer = { ...DEFAULT_RETENTION, usageHours: 100 };
    expect(await deleteExpired(service.storage, longer, { signal: running })).toMatchObject({
      feature_usage: 1,
      variant_usage: 1,
    });
    expect((await counts()).toSorted()).toEqual([47, 49, 99]);
    await deleteExpired(service.storage, DEFAULT_RETENTION, { signal: running });
    expect(await counts()).toEqual([47]);
    expect(await db.select().from(variantUsage)).toEqual([]);
  });

  test("keeps the applications that were seen last, up to a number", async () => {
    const { db } = service.storage;
    const names = ["newest", "a", "b", "oldest"];
    await db.insert(applications).values(
      names.map((appName, index) => ({
        appName,
        environment: "e",
        // The two in the middle were seen at the same time.
        lastSeenAt: hoursAgo([0, 1, 1, 2][index] ?? 0),
      })),
    );
    const keep = (maxApplications: number) =>
      deleteExpired(service.storage, DEFAULT_RETENTION, {
        signal: running,
        batchRows: 1,
        maxApplications,
      });
    const remaining = async () =>
      (await db.select().from(applications)).map(({ appName }) => appName).toSorted();
    await keep(4);
    expect(await remaining()).toEqual(["a", "b", "newest", "oldest"]);
    expect(await keep(2)).toMatchObject({ applications: 2 });
    expect(await remaining()).toEqual(["b", "newest"]);
    await db.delete(applications);
  });

  test("deletes applications that neither register nor report usage", async () => {
    const post = (path: string, body: unknown) =>
      service.request(`/api/client/${path}`, { method: "POST", token, body });
    await createFlag(service, "used");
    for (const appName of ["running", "gone"]) {
      await post("register", { appName, strategies: [], started: new Date(), interval: 1000 });
    }
    await service.storage.db.update(applications).set({ lastSeenAt: hoursAgo(31 * 24) });
    const bucket = { start: new Date(), stop: new Date(), toggles: { used: { yes: 1, no: 0 } } };
    await post("metrics", { appName: "running", bucket });
    await deleteExpired(service.storage, DEFAULT_RETENTION, { signal: running });
    const rows = await service.storage.db.select().from(applications);
    expect(rows.map(({ appName }) => appName)).toEqual(["running"]);
  });

  test("deletes expired links, codes and sessions, and a month later personal tokens and invite links", async () => {
    const { db } = service.storage;
    const { id } = (await service.admin("POST", "/user-admin", {
      username: "anna",
      rootRole: "Viewer",
    })) as { id: number };
    const { storage } = service;
    await storage.transact((transaction) => transaction.delete(userLinks));
    const times = { open: hoursAgo(-1), recent: hoursAgo(1), old: hoursAgo(31 * 24) };
    for (const [name, expiresAt] of Object.entries(times)) {
      const row = { secretHash: name, expiresAt, createdBy: "test" };
      await storage.transact(async (transaction) => {
        await transaction.insert(userLinks).values({ ...row, userId: id, kind: "reset" });
        await transaction.insert(setupCodes).values(row);
        await transaction.insert(inviteLinks).values({ ...row, id: name, name });
        await transaction.insert(invitedUsers).values({ link: name, userId: id });
        await transaction.insert(personalTokens).values({ ...row, userId: id, description: name });
        await transaction.insert(sessions).values({
          idHash: name,
          userId: `user:${id}`,
          userName: "anna",
          account: id,
          createdAt: hoursAgo(800),
          expiresAt,
        });
      });
    }
    const deleted = await deleteExpired(storage, DEFAULT_RETENTION, { signal: running });
    expect(deleted).toMatchObject({
      user_links: 2,
      setup_codes: 2,
      sessions: 2,
      invite_links: 1,
      personal_tokens: 1,
    });
    const names = async (rows: Promise<readonly { readonly name: string }[]>) =>
      (await rows).map(({ name }) => name).toSorted();
    for (const table of [userLinks, setupCodes]) {
      expect(await names(db.select({ name: table.secretHash }).from(table))).toEqual(["open"]);
    }
    expect(await names(db.select({ name: sessions.idHash }).from(sessions))).toEqual(["open"]);
    for (const table of [inviteLinks, personalTokens]) {
      expect(await names(db.select({ name: table.secretHash }).from(table))).toEqual([
        "open",
        "recent",
      ]);
    }
  });

  test("deletes instances that no longer run", async () => {
    const register = (instanceId: string) =>
      service.request("/api/client/register", {
        method: "POST",
        token,
        body: { appName: "deployed", instanceId },
      });
    await register("previous");
    const { db } = service.storage;
    await db.update(applicationInstances).set({ lastSeenAt: hoursAgo(49) });
    await register("current");
    await deleteExpired(service.storage, DEFAULT_RETENTION, { signal: running });
    const rows = await db.select().from(applicationInstances);
    expect(rows.map(({ instanceId }) => instanceId)).toEqual(["current"]);
  });

  test("deletes events in small transactions, without a change for SDKs", async () => {
    const { storage } = service;
    await createFlag(service, "aged");
    const before = await fetchState(service, "delta");
    for (const on of [false, true, false]) await switchFlag(service, "aged", { on });
    await ageEvents(storage, 366);
    const revision = await storage.revision();
    const polled = await fetchState(service, "features");
    const kinds = await storage.db
      .select({ type: events.type, environment: events.environment, id: sql`max(${events.id})` })
      .from(events)
      .groupBy(events.type, events.environment);
    const { length: total } = await storage.db.select({ id: events.id }).from(events);

    const deleted = await deleteExpired(storage, KEEP_A_YEAR, { signal: running, batchRows: 2 });
    expect(deleted["events"]).toBe(total - kinds.length);
    expect(deleted["events"]).toBeGreaterThan(2);
    const ids = (await storage.db.select({ id: events.id }).from(events)).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(kinds.map(({ id }) => Number(id)).toSorted());
    expect(await storage.revision()).toBe(revision);

    // A replica that starts now has not seen the deleted events.
    const other = await startService(service.storage);
    for (const replica of [service, other]) {
      expect(await fetchState(replica, "features")).toEqual(polled);
      expect((await fetchState(replica, "features", polled.etag ?? "")).status).toBe(304);
      const delta = await fetchState(replica, "delta", before.etag ?? "");
      expect(delta.body).toContain('"enabled":false');
    }
  });

  test("keeps events indefinitely by default, and never deletes one that has not expired", async () => {
    const { storage } = service;
    await ageEvents(storage, 364);
    const count = async () => (await storage.db.select({ id: events.id }).from(events)).length;
    const before = await count();
    await deleteExpired(storage, KEEP_A_YEAR, { signal: running });
    await ageEvents(storage, 10_000);
    await deleteExpired(storage, DEFAULT_RETENTION, { signal: running });
    expect(await count()).toBe(before);
  });
});

describe.skipIf(skipsPostgres)("deleteExpired() on PostgreSQL", () => {
  test("deleteExpired() at two replicas deletes each row once, and they do not wait for each other", async () => {
    const databaseUrl = await createTestDatabase();
    const [one, two] = [await openDatabase(databaseUrl), await openDatabase(databaseUrl)];
    await one.db.execute(sql`
      insert into feature_usage (feature, app_name, environment, hour)
      select 'flag' || number, 'a', 'e', now() - interval '3 days' from generate_series(1, 500) as number`);
    const options = { signal: running, batchRows: 20 };
    const counts = await Promise.all(
      [one, two].map((storage) => deleteExpired(storage, DEFAULT_RETENTION, options)),
    );
    const first = counts.reduce((sum, count) => sum + (count["feature_usage"] ?? 0), 0);
    const rest = await deleteExpired(one, DEFAULT_RETENTION, options);
    expect(first + (rest["feature_usage"] ?? 0)).toBe(500);
    expect(await two.db.select().from(featureUsage)).toEqual([]);
  });

  test("deletion runs regularly until it is stopped, and survives failures of the database", async () => {
    const storage = await openDatabase(await createTestDatabase());
    const logger = { info: vi.fn<() => void>(), warn: vi.fn<() => void>() };
    const stop = new AbortController();
    const insert = () =>
      storage.db.insert(featureUsage).values(
        ["a", "b"].map((feature) => ({
          feature,
          appName: "a",
          environment: "e",
          hour: hoursAgo(72),
        })),
      );
    await insert();
    await storage.db.execute(sql`alter table applications rename to hidden`);
    const ended = deleteRegularly(
      { storage, retention: DEFAULT_RETENTION, logger, firstRunMs: 1, intervalMs: 5 },
      stop.signal,
    );
    await expect.poll(() => logger.warn.mock.calls.length).toBeGreaterThan(1);
    await storage.db.execute(sql`alter table hidden rename to applications`);
    await insert();
    await expect
      .poll(() => logger.info.mock.calls)
      .toEqual([["Deleted expired data: feature_usage 2"]]);
    stop.abort();
    await ended;
    await insert();
    const rows = await storage.db
      .select()
      .from(featureUsage)
      .where(inArray(featureUsage.feature, ["a", "b"]));
    expect(rows).toHaveLength(2);
  });
});
