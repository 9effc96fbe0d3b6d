import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { readEvents, type EventReader } from "../../server-kit/test/_event-reader.ts";
import { ProjectAccess } from "../src/access/project-access.ts";
import type { Caller } from "../src/access/request-identity.ts";
import { ChangeStreams } from "../src/changes/change-streams.ts";
import { LIMITS } from "../src/limits.ts";
import type { Storage } from "../src/storage/storage.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN, type Service, startService, useService } from "./_service.ts";
import { FROM_PAGE, signIn } from "./_sessions.ts";
import { describeAnyStorage, describeStorages } from "./_storages.ts";

type Credentials = Readonly<Record<string, string>>;

const WITH_TOKEN: Credentials = { authorization: ADMIN_TOKEN };

function open(
  service: Pick<Service, "url">,
  headers: Credentials = WITH_TOKEN,
): Promise<EventReader> {
  return readEvents(`${service.url}/api/admin/changes`, { headers });
}

async function nextChange(stream: EventReader) {
  const { name, id, data } = await stream.next();
  return { name, id, data: JSON.parse(data) as Record<string, unknown> };
}

/** Records events without changing anything else, and notifies the replicas of the last one. */
async function recordEvents(service: { readonly storage: Storage }, count: number) {
  const { storage } = service;
  await storage.transact((db) =>
    db.execute(sql`
      insert into events (type, created_by, actor_kind)
      select 'tag-created', 'jane', 'token' from generate_series(1, ${count}::int)`),
  );
  return storage.revision();
}

describeStorages("the stream of changes", (source) => {
  const service = useService(source);

  test("sends each recorded event without the contents of flags", async () => {
    const stream = await open(service);
    expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(stream.headers.get("cache-control")).toContain("no-store");
    await service.admin("POST", "/projects/default/features", { name: "streamed" });
    const { name, id, data } = await nextChange(stream);
    expect({ name, data }).toEqual({
      name: "change",
      data: {
        id: Number(id),
        type: "feature-created",
        project: "default",
        feature: "streamed",
        environment: null,
        createdBy: "init-admin",
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      },
    });
    await service.admin("POST", "/projects/default/features/streamed/environments/production/on");
    const second = await nextChange(stream);
    expect(second.data).toMatchObject({ feature: "streamed", environment: "production" });
    expect(Number(second.id)).toBeGreaterThan(Number(id));
  });

  test("continues after Last-Event-ID", async () => {
    const first = await open(service);
    await service.admin("POST", "/tags", { type: "simple", value: "one" });
    const { id } = await nextChange(first);
    first.close();
    await service.admin("POST", "/tags", { type: "simple", value: "two" });
    await service.admin("POST", "/tags", { type: "simple", value: "three" });
    const second = await open(service, { ...WITH_TOKEN, "last-event-id": id });
    const ids = [Number((await nextChange(second)).id), Number((await nextChange(second)).id)];
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(ids[0]).toBeGreaterThan(Number(id));
    expect(ids[1]).toBe(await service.storage.revision());
  });

  test("a replica that has just started knows earlier changes", async () => {
    const first = await open(service);
    await service.admin("POST", "/tags", { type: "simple", value: "four" });
    const { id } = await nextChange(first);
    await service.admin("POST", "/tags", { type: "simple", value: "five" });
    const replica = await startService(service.storage);
    const resumed = await open(replica, { ...WITH_TOKEN, "last-event-id": id });
    expect(await nextChange(resumed)).toEqual(await nextChange(first));
  });

  test("sends changes by another replica", async () => {
    const replica = await startService(service.storage);
    const stream = await open(replica);
    await service.admin("POST", "/tags", { type: "simple", value: "six" });
    expect((await nextChange(stream)).data).toMatchObject({ type: "tag-created" });
  });

  test.each(["999999999999999", "-1", "x", "1e3", "9".repeat(50)])(
    "begins with a reset for the unknown id %s",
    async (lastEventId) => {
      await service.admin("POST", "/tags", {
        type: "simple",
        value: `for-${lastEventId.length}${lastEventId[0]}`,
      });
      const revision = await service.storage.revision();
      const stream = await open(service, { ...WITH_TOKEN, "last-event-id": lastEventId });
      expect(await nextChange(stream)).toEqual({ name: "reset", id: String(revision), data: {} });
      await service.admin("POST", "/tags", {
        type: "simple",
        value: `after-${lastEventId.length}${lastEventId[0]}`,
      });
      expect((await nextChange(stream)).name).toBe("change");
    },
  );

  test("begins with a reset if too many changes were missed", async () => {
    await service.admin("POST", "/tags", { type: "simple", value: "seven" });
    const revision = await service.storage.revision();
    const headers = { ...WITH_TOKEN, "last-event-id": String(revision) };
    await recordEvents(service, 1000);
    const complete = await open(service, headers);
    const names = new Set<string>();
    for (let count = 0; count < 1000; count += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one event after the other
      names.add((await complete.next()).name);
    }
    expect([...names]).toEqual(["change"]);
    const latest = await recordEvents(service, 1);
    const tooOld = await open(await startService(service.storage), headers);
    expect(await nextChange(tooOld)).toEqual({ name: "reset", id: String(latest), data: {} });
  });

  test("sends a reset instead of too many changes at once", async () => {
    const stream = await open(service);
    await service.admin("POST", "/tags", { type: "simple", value: "eight" });
    await nextChange(stream);
    const latest = await recordEvents(service, 1500);
    const { name, id } = await nextChange(stream);
    expect([name, id]).toEqual(["reset", String(latest)]);
  });

  test("requires a caller, and HEAD opens no stream", async () => {
    const path = "/api/admin/changes";
    expect((await service.request(path)).status).toBe(401);
    expect((await service.request(path, { token: BACKEND_TOKEN })).status).toBe(403);
    expect((await service.request(path, { method: "HEAD", token: ADMIN_TOKEN })).status).toBe(404);
  });

  test("ends when the user signs out, even on another replica", async () => {
    const replica = await startService(service.storage);
    const { cookie } = await signIn(service);
    const [stream, other] = [await open(replica, cookie), await open(replica)];
    await service.request("/auth/session", {
      method: "DELETE",
      headers: { ...cookie, ...FROM_PAGE },
    });
    await stream.ended;
    expect(stream.retries).toHaveLength(1);
    await service.admin("POST", "/tags", { type: "simple", value: "nine" });
    expect((await nextChange(other)).name).toBe("change");
    await expect(open(replica, cookie)).rejects.toThrow("401");
  });

  test("ends when the token is deleted, with a session and without", async () => {
    const { id, secret } = (await service.admin("POST", "/api-tokens", {
      tokenName: "jane",
      type: "viewer",
    })) as { id: string; secret: string };
    const { cookie } = await signIn(service, secret);
    const callers = [{ authorization: secret }, cookie];
    const streams = await Promise.all(callers.map((caller) => open(service, caller)));
    await recordEvents(service, 1);
    for (const stream of streams) expect((await nextChange(stream)).name).toBe("change");
    await service.admin("DELETE", `/api-tokens/${id}`);
    await Promise.all(streams.map(({ ended }) => ended));
    for (const caller of callers) await expect(open(service, caller)).rejects.toThrow("401");
  });

  test("no request caused an internal error", () => {
    expect(service.errors).toEqual([]);
  });
});

describeAnyStorage("streams of changes", (source) => {
  test("streams of changes end when the session expires", async () => {
    const clock = { now: new Date() };
    const storage = await source.openFresh();
    const service = await startService(storage, {}, { now: () => clock.now });
    const { cookie, body } = await signIn(service);
    const stream = await open(service, cookie);
    await recordEvents({ storage }, 1);
    expect((await nextChange(stream)).name).toBe("change");
    clock.now = new Date(body.expiresAt);
    await stream.ended;
    await expect(open(service, cookie)).rejects.toThrow("401");
  });

  test("streams of changes are limited per session, so that other sessions can still open one", async () => {
    const service = await startService(await source.openFresh());
    const [one, other] = [await signIn(service), await signIn(service)];
    for (let count = 0; count < LIMITS.changeStreamsPerCaller; count += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one stream after the other
      await open(service, one.cookie);
    }
    const refused = await service.request("/api/admin/changes", { headers: one.cookie });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(await refused.json()).toMatchObject({ name: "TooManyStreamsError" });
    await open(service, other.cookie);
    const metrics = await (await service.request("/internal-backstage/prometheus")).text();
    expect(metrics).toMatch(/^flags_admin_change_streams 21$/m);
  });

  test("streams of changes are shared among users, so that one with many sessions leaves some to the others", async () => {
    const service = await startService(await source.openFresh(), { maxConnections: 60 });
    const other = { tokenName: "other", type: "viewer" };
    const created = await service.admin("POST", "/api-tokens", other);
    const { secret } = created as { readonly secret: string };
    for (const { cookie } of [await signIn(service), await signIn(service)]) {
      // oxlint-disable-next-line no-await-in-loop -- one stream after the other
      await open(service, cookie);
    }
    const third = await signIn(service);
    const refused = await service.request("/api/admin/changes", { headers: third.cookie });
    expect(await refused.json()).toMatchObject({
      name: "TooManyStreamsError",
      message: expect.stringContaining("at most 4 in total"),
    });
    await open(service, { authorization: secret });
  });

  test("streams of changes are limited in total", async () => {
    const storage = await source.openFresh();
    const options = { storage, sessions: { findByHash: async () => new Map() } };
    const streams = new ChangeStreams({ ...options, maxStreams: 0, maxStreamsPerCaller: 1 });
    const caller: Caller = {
      id: "id",
      name: "jane",
      kind: "token",
      role: "viewer",
      projects: ProjectAccess.everywhere("viewer"),
      account: undefined,
      tokenId: "id",
      personalTokenId: undefined,
      sessionHash: undefined,
      expiresAt: null,
    };
    expect(() => streams.checkCapacity(caller)).toThrow("at most 0 in total");
    streams.close();
  });

  test("streams of changes end when the service stops", async () => {
    const service = await startService(await source.openFresh());
    const stream = await open(service);
    const closed = service.app.close();
    await stream.ended;
    expect(stream.retries).toHaveLength(1);
    await closed;
  });
});
