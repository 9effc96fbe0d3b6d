import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStorage } from "../src/storage/open-storage.ts";
import type { Storage } from "../src/storage/storage.ts";
import { openStream } from "./_event-stream.ts";
import { createFlag, createToken, switchFlag } from "./_flags.ts";
import { skipsPostgres, startPostgres, type PostgresServer } from "./_postgres.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN, startService, type Service } from "./_service.ts";
import { openDatabase, silentLogger } from "./_storages.ts";

const token = BACKEND_TOKEN;

describe.skipIf(skipsPostgres)("two replicas on one PostgreSQL", () => {
  let server: PostgresServer;
  let databaseUrl: string;
  beforeAll(async () => {
    server = await startPostgres();
    databaseUrl = await server.createDatabase();
  });
  afterAll(() => server?.close());

  const startReplica = async (): Promise<Service & { readonly storage: Storage }> => {
    const storage = await openDatabase(databaseUrl);
    return { ...(await startService(storage)), storage };
  };

  const startTwo = async () => {
    const [one, two] = await Promise.all([startReplica(), startReplica()]);
    return { one, two };
  };

  const isEnabled = async (service: Service, name: string): Promise<unknown> => {
    const response = await service.request(`/api/client/features/${name}`, { token });
    return response.status === 200
      ? ((await response.json()) as { enabled: boolean }).enabled
      : 404;
  };

  const fetchDelta = async (service: Service, since?: string) => {
    const headers = since === undefined ? {} : { "if-none-match": since };
    const path = "/api/client/delta?namePrefix=order-";
    const response = await service.request(path, { token, headers });
    const etag = response.headers.get("etag") ?? "";
    return { etag, id: etag.slice(1, -1), text: await response.text() };
  };

  test("a change at one replica is part of the next response of the other", async () => {
    const { one, two } = await startTwo();
    expect(await isEnabled(two, "shared")).toBe(404);
    await createFlag(one, "shared");
    expect(await isEnabled(two, "shared")).toBe(true);
    for (const on of [false, true, false, true, false]) {
      const [writer, reader] = on ? [two, one] : [one, two];
      await switchFlag(writer, "shared", { on });
      expect(await isEnabled(reader, "shared")).toBe(on);
    }
  });

  test("the entity tag is the same at every replica", async () => {
    const { one, two } = await startTwo();
    const third = await startReplica();
    const tagOf = async (service: Service): Promise<string | null> => {
      const response = await service.request("/api/client/features", { token });
      await response.text();
      return response.headers.get("etag");
    };
    await createFlag(one, "tagged");
    const tag = await tagOf(one);
    expect(tag).toMatch(/^"/);
    expect([await tagOf(two), await tagOf(third)]).toEqual([tag, tag]);
  });

  test("a change at one replica is sent on the streams of the other", async () => {
    const { one, two } = await startTwo();
    await createFlag(one, "streamed");
    const stream = await openStream(two, { token });
    await stream.next();
    for (const on of [false, true, false]) {
      const next = stream.next();
      const notified = new Promise<void>((resolve) => {
        const stop = two.storage.onChange(() => {
          stop();
          resolve();
        });
      });
      await switchFlag(one, "streamed", { on });
      await notified;
      expect((await next).data.events).toMatchObject([
        { type: "feature-updated", feature: { name: "streamed", enabled: on } },
      ]);
    }
  });

  test("a stream can be resumed at the other replica", async () => {
    const { one, two } = await startTwo();
    await createFlag(one, "resumed");
    const streams = [await openStream(one, { token }), await openStream(two, { token })] as const;
    const [first] = await Promise.all(streams.map((stream) => stream.next()));
    streams[0].close();
    await switchFlag(one, "resumed", { on: false });
    const resumed = await openStream(two, { token, lastEventId: first?.id ?? "" });
    expect((await resumed.next()).data.events).toMatchObject([
      { type: "feature-updated", feature: { name: "resumed", enabled: false } },
    ]);
  });

  test("an SDK that has seen a change at only one replica learns of its reversal from the other", async () => {
    const { one, two } = await startTwo();
    const name = "order-reverted";
    await createFlag(one, name, { enabled: false });
    await fetchDelta(one);
    await switchFlag(one, name, { on: true });
    await switchFlag(one, name, { on: false });
    const before = await fetchDelta(one);

    await switchFlag(one, name, { on: true });
    const on = await fetchDelta(two, before.etag);
    expect(on.text).toContain(`"name":"${name}","type":"release","enabled":true`);
    const stream = await openStream(two, { token, query: "?namePrefix=order-" });
    const { id } = await stream.next();
    expect(id).toBe(on.id);
    stream.close();

    await switchFlag(one, name, { on: false });
    const off = await fetchDelta(one, on.etag);
    expect(off.text).toContain(`"name":"${name}","type":"release","enabled":false`);
    const resumed = await openStream(one, {
      token,
      query: "?namePrefix=order-",
      lastEventId: on.id,
    });
    expect((await resumed.next()).data.events).toMatchObject([{ type: "hydration" }]);
    expect((await fetchDelta(one, off.etag)).text).toBe("");
  });

  test("a token that is revoked at one replica is rejected by the other, and its streams end", async () => {
    const { one, two } = await startTwo();
    const revoked = await createToken(one);
    const stream = await openStream(two, { token: revoked.secret });
    await stream.next();
    await one.admin("DELETE", `/api-tokens/${revoked.id}`);
    const response = await two.request("/api/client/features", { token: revoked.secret });
    expect(response.status).toBe(401);
    await stream.ended;
    await expect(stream.next()).rejects.toThrow("The stream has ended");
  });

  test("streams at three replicas receive every change once, in order, while all of them write", async () => {
    const replicas = await Promise.all([startReplica(), startReplica(), startReplica()]);
    const names = ["order-0", "order-1", "order-2"];
    for (const name of names) await createFlag(replicas[0], name);
    const streams = await Promise.all(
      replicas.map(async (replica) => {
        const stream = await openStream(replica, { token, query: "?namePrefix=order-" });
        return { stream, first: await stream.next() };
      }),
    );
    await Promise.all(
      replicas.map(async (replica, index) => {
        for (let round = 0; round < 8; round += 1) {
          const name = names[(index + round) % names.length] ?? "";
          await switchFlag(replica, name, { on: round % 2 === 1 });
        }
      }),
    );
    const last = await fetchDelta(replicas[0]);
    for (const { stream, first } of streams) {
      const state = new Map<string, boolean>();
      const ids = [Number(first.id)];
      while (ids.at(-1) !== Number(last.id)) {
        const event = await stream.next();
        ids.push(Number(event.id));
        for (const { feature } of event.data.events) {
          if (feature !== undefined) state.set(feature.name, feature.enabled);
        }
      }
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
      for (const [name, enabled] of state) expect(await isEnabled(replicas[1], name)).toBe(enabled);
      expect(state.size).toBe(names.length);
    }
    const bodies = await Promise.all(replicas.map((replica) => fetchDelta(replica)));
    expect(new Set(bodies.map(({ text }) => text)).size).toBe(1);
  });

  test("usage reported to both replicas is added up without deadlocks", async () => {
    const { one, two } = await startTwo();
    const names = Array.from({ length: 10 }, (_, index) => `usage-${index}`);
    for (const name of names) await createFlag(one, name, { strategies: [] });
    const post = async (service: Service, order: readonly string[]): Promise<number> => {
      const toggles = Object.fromEntries(
        order.map((name) => [name, { yes: 1, no: 1, variants: { v: 1 } }]),
      );
      const body = { appName: "app", bucket: { toggles } };
      const call = { method: "POST", token, body };
      return (await service.request("/api/client/metrics", call)).status;
    };
    const statuses = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        post(index % 2 === 0 ? one : two, index % 4 < 2 ? names : names.toReversed()),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([202]));
    const { data } = (await two.admin("GET", "/client-metrics/features/usage-7/raw")) as {
      data: { yes: number; no: number; variants?: { v: number } }[];
    };
    expect(data.reduce((sum, { yes }) => sum + yes, 0)).toBe(60);
    expect(data.reduce((sum, { variants }) => sum + (variants?.v ?? 0), 0)).toBe(60);
  });

  test("an outage of the database: 503, then requests and streams recover", async () => {
    const { one, two } = await startTwo();
    await createFlag(one, "survivor");
    const stream = await openStream(two, { token });
    await stream.next();
    await server.kill();
    const response = await one.request("/api/client/features", { token });
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await response.text()).not.toMatch(/ECONN|postgres|5432/i);
    await server.restart();
    const isUp = () => one.request("/api/client/features", { token }).then(({ status }) => status);
    await expect.poll(isUp).toBe(200);
    await switchFlag(one, "survivor", { on: false });
    expect((await stream.next()).data.events).toMatchObject([
      { type: "feature-updated", feature: { name: "survivor", enabled: false } },
    ]);
  });

  test("when a standby that may lack changes takes over, SDKs start again with its state", async () => {
    // Ids of lost changes can already belong to others when the connection that listens is open again.
    const { one } = await startTwo();
    await createFlag(one, "order-promoted");
    const stream = await openStream(one, { token });
    await stream.next();
    await server.kill();
    server.promote();
    await server.restart();
    await stream.ended;
    await expect.poll(() => isEnabled(one, "order-promoted"), { timeout: 20_000 }).toBe(true);
  });

  test("a standby is never used, and a replica continues when it becomes the primary", async () => {
    const { one } = await startTwo();
    await createFlag(one, "order-standby");
    await server.kill();
    server.demote();
    await server.restart();
    const statuses = await Promise.all([
      one.request("/api/admin/projects", { token: ADMIN_TOKEN }),
      one.request("/api/admin/projects/default/features", {
        method: "POST",
        token: ADMIN_TOKEN,
        body: { name: "order-read-only" },
      }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([503, 503]);
    const opened = openStorage({ databaseUrl, dataDir: "", logger: silentLogger });
    await expect(opened).rejects.toThrow("The server is a standby, which is read-only");
    await server.kill();
    server.promote();
    await server.restart();
    await expect.poll(() => isEnabled(one, "order-standby"), { timeout: 20_000 }).toBe(true);
  });

  test("when a standby that lacks the latest changes takes over, SDKs receive its state", async () => {
    const { one, two } = await startTwo();
    const isUp = (service: Service) => async () =>
      (await service.request("/api/client/features", { token })).status;
    const bothAreUp = async () => {
      for (const service of [one, two]) {
        await expect.poll(isUp(service), { timeout: 20_000 }).toBe(200);
      }
    };
    await createFlag(one, "order-failover");
    await server.kill();
    server.save();
    await server.restart();
    await bothAreUp();
    await switchFlag(one, "order-failover", { on: false });
    const stream = await openStream(two, { token });
    const lost = await stream.next();
    const delta = await fetchDelta(one);
    expect(await isEnabled(two, "order-failover")).toBe(false);

    await server.kill();
    server.restoreSaved();
    await server.restart();
    await stream.ended;
    await bothAreUp();
    for (const service of [one, two]) {
      await expect.poll(() => isEnabled(service, "order-failover"), { timeout: 20_000 }).toBe(true);
    }
    // New changes get revisions that the lost ones did not have.
    await createFlag(one, "order-after");
    for (const service of [one, two]) {
      expect((await fetchDelta(service, delta.etag)).text).toContain('"type":"hydration"');
      const resumed = await openStream(service, { token, lastEventId: lost.id });
      expect((await resumed.next()).data.events).toMatchObject([{ type: "hydration" }]);
    }
  });
});
