import { get, type IncomingMessage } from "node:http";
import Fastify, { type FastifyInstance } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAuthentication } from "../src/access/authentication.ts";
import { SYSTEM_ACTOR } from "../src/storage/event.ts";
import { handleFailures } from "../src/http/failures.ts";
import { ConnectionGuard } from "flags-server-kit/http";
import { serverOptions } from "../src/http/server-options.ts";
import { registerSdkApi } from "../src/client-api/register-sdk-api.ts";
import { featureEnvironments, features } from "../src/storage/schema/features.ts";
import type { Storage } from "../src/storage/storage.ts";
import type { StreamOptions } from "../src/client-api/streaming/stream-hub.ts";
import { openStream, type DeltaEvent } from "./_event-stream.ts";
import {
  archiveFlag,
  createFlag,
  createSegment,
  createToken,
  reviveFlag,
  switchFlag,
  updateSegment,
} from "./_flags.ts";
import {
  BACKEND_TOKEN,
  collectErrors,
  endApp,
  KNOWS_SEGMENTS,
  listen,
  PRODUCTION_TOKEN,
  startService,
  type Service,
  useService,
} from "./_service.ts";
import { describeEachStorage } from "./_storages.ts";

const GUARD = new ConnectionGuard({
  maxConnections: 1000,
  logger: { warn: () => undefined },
  advice: "",
});

const token = BACKEND_TOKEN;

interface Delta {
  readonly status: number;
  readonly etag: string | null;
  readonly events: readonly DeltaEvent[];
}

async function askDelta(service: Service, ifNoneMatch?: string, query = ""): Promise<Delta> {
  const response = await service.request(`/api/client/delta${query}`, {
    token,
    headers: ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch },
  });
  const text = await response.text();
  const events = text === "" ? [] : (JSON.parse(text) as { events: DeltaEvent[] }).events;
  return { status: response.status, etag: response.headers.get("etag"), events };
}

/** What events tell, without the definitions. */
function summarize(events: readonly DeltaEvent[]): readonly string[] {
  return events.map(({ type, feature, featureName, segment, segmentId }) => {
    const subject = feature?.name ?? featureName ?? segment?.id ?? segmentId;
    return subject === undefined ? type : `${type} ${subject}`;
  });
}

describeEachStorage("GET /api/client/delta", (source) => {
  const service = useService(source);
  const currentTag = async (): Promise<string> => (await askDelta(service)).etag ?? "";

  test("everything, for who says nothing of what is known", async () => {
    const id = await createSegment(service, "hydrated", ["1"]);
    await createFlag(service, "hydrated", { strategies: [{ segments: [id] }] });
    const document = (await (
      await service.request("/api/client/features", {
        token,
        headers: KNOWS_SEGMENTS,
      })
    ).json()) as { features: unknown; segments: unknown; meta: { revisionId: number } };
    const revision = document.meta.revisionId;
    expect(await askDelta(service)).toEqual({
      status: 200,
      etag: `"${revision}"`,
      events: [
        {
          eventId: revision,
          type: "hydration",
          features: document.features,
          segments: document.segments,
        },
      ],
    });
  });

  test("304 when nothing is new, in all spellings of the tag", async () => {
    const etag = await currentTag();
    for (const header of [etag, etag.slice(1, -1), `W/${etag}`, ` ${etag} `]) {
      expect(await askDelta(service, header)).toEqual({ status: 304, etag, events: [] });
    }
  });

  test.each(["x", "*", '"a:b"', '"999999999"', "99999999999999999999", "-1", '"0"'])(
    "everything, when %s is known",
    async (header) => {
      const delta = await askDelta(service, header);
      expect(summarize(delta.events)).toEqual(["hydration"]);
    },
  );

  test("flags: created, switched, archived, revived, deleted", async () => {
    let etag = await currentTag();
    const after = async (change: Promise<unknown>): Promise<readonly DeltaEvent[]> => {
      await change;
      const delta = await askDelta(service, etag);
      expect(delta.etag).toBe(`"${delta.events.at(-1)?.eventId}"`);
      etag = delta.etag ?? "";
      return delta.events;
    };
    expect(summarize(await after(createFlag(service, "f")))).toEqual(["feature-updated f"]);
    expect(await after(switchFlag(service, "f", { on: false }))).toMatchObject([
      { type: "feature-updated", feature: { name: "f", enabled: false } },
    ]);
    expect(await after(archiveFlag(service, "f"))).toEqual([
      {
        eventId: expect.any(Number),
        type: "feature-removed",
        featureName: "f",
        project: "default",
      },
    ]);
    expect(summarize(await after(reviveFlag(service, "f")))).toEqual(["feature-updated f"]);
    const deleted = async (): Promise<void> => {
      await archiveFlag(service, "f");
      await service.admin("DELETE", "/archive/f");
    };
    expect(summarize(await after(deleted()))).toEqual(["feature-removed f"]);
    expect((await askDelta(service, etag)).status).toBe(304);
  });

  test("segments come before the flags that name them, and go after", async () => {
    let etag = await currentTag();
    const after = async (change: Promise<unknown>): Promise<readonly string[]> => {
      await change;
      const delta = await askDelta(service, etag);
      etag = delta.etag ?? "";
      return summarize(delta.events);
    };
    const id = await createSegment(service, "s", ["1"]);
    expect((await askDelta(service, etag)).status).toBe(304);
    const created = createFlag(service, "g", { strategies: [{ segments: [id] }] });
    expect(await after(created)).toEqual([`segment-updated ${id}`, "feature-updated g"]);
    expect(await after(updateSegment(service, { id, name: "s", values: ["2"] }))).toEqual([
      `segment-updated ${id}`,
    ]);
    expect(await after(archiveFlag(service, "g"))).toEqual([
      "feature-removed g",
      `segment-removed ${id}`,
    ]);
  });

  test("what changed several times is told once, as it is now", async () => {
    const etag = await currentTag();
    await createFlag(service, "often");
    await switchFlag(service, "often", { on: false });
    await createFlag(service, "short");
    await archiveFlag(service, "short");
    await switchFlag(service, "often", { on: true });
    const { events } = await askDelta(service, etag);
    const own = events.filter(({ feature }) => feature !== undefined);
    expect(own).toMatchObject([{ feature: { name: "often", enabled: true } }]);
  });

  test("who comes to a replica that knows less of the past gets everything", async () => {
    const etag = await currentTag();
    await createFlag(service, "before-the-replica");
    const second = await startService(service.storage);
    expect(summarize((await askDelta(second, etag)).events)).toEqual(["hydration"]);
    const { etag: newer } = await askDelta(second);
    expect((await askDelta(service, newer ?? "")).status).toBe(304);
  });

  test("filters, and the scope of the token, hold for changes too", async () => {
    const { etag } = await askDelta(service, undefined, "?namePrefix=mine-");
    await createFlag(service, "mine-1");
    await createFlag(service, "yours-1");
    const delta = await askDelta(service, etag ?? "", "?namePrefix=mine-");
    expect(summarize(delta.events)).toEqual(["feature-updated mine-1"]);
  });
});

describeEachStorage("GET /api/client/streaming", (source) => {
  const service = useService(source);

  test("everything first, and then each change as it happens, within 100 ms", async () => {
    await createFlag(service, "pushed");
    const stream = await openStream(service, { token });
    expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(stream.headers.get("cache-control")).toContain("no-store");
    expect(stream.headers.get("x-content-type-options")).toBe("nosniff");
    const first = await stream.next();
    expect(first.name).toBe("unleash-connected");
    expect(first.id).toBe(String(first.data.events[0]?.eventId));
    expect(summarize(first.data.events)).toEqual(["hydration"]);

    const delays: number[] = [];
    for (const on of [false, true, false, true, false]) {
      const next = stream.next();
      await switchFlag(service, "pushed", { on });
      const answered = performance.now();
      const event = await next;
      delays.push(performance.now() - answered);
      expect(event.name).toBe("unleash-updated");
      expect(event.id).toBe(String(event.data.events.at(-1)?.eventId));
      expect(event.data.events).toMatchObject([
        { type: "feature-updated", feature: { name: "pushed", enabled: on } },
      ]);
    }
    expect(Math.min(...delays)).toBeLessThan(100);
  });

  test("Last-Event-ID: only what is new since then", async () => {
    const stream = await openStream(service, { token });
    const { id } = await stream.next();
    stream.close();
    const nothing = await openStream(service, { token, lastEventId: id });
    expect(await nothing.next()).toEqual({ name: "unleash-connected", id, data: { events: [] } });

    await createFlag(service, "missed");
    const resumed = await openStream(service, { token, lastEventId: id });
    const event = await resumed.next();
    expect(event.name).toBe("unleash-connected");
    expect(summarize(event.data.events)).toEqual(["feature-updated missed"]);
    for (const lastEventId of ["x", "999999999", "-1"]) {
      const whole = await openStream(service, { token, lastEventId });
      expect(summarize((await whole.next()).data.events)).toEqual(["hydration"]);
    }
  });

  test("streams hear of what is in their scope, and of nothing else", async () => {
    await service.admin("POST", "/projects", { id: "scoped", name: "Scoped" });
    const { secret } = await createToken(service, { projects: ["scoped"] });
    const streams = [
      await openStream(service, { token: secret }),
      await openStream(service, { token: PRODUCTION_TOKEN }),
      await openStream(service, { token, query: "?namePrefix=sc-" }),
    ] as const;
    for (const stream of streams) await stream.next();
    await createFlag(service, "out-of-scope");
    await createFlag(service, "sc-1", { project: "scoped" });
    const [scoped, production, prefixed] = await Promise.all(
      streams.map(async (stream) => summarize((await stream.next()).data.events)),
    );
    expect(scoped).toEqual(["feature-updated sc-1"]);
    expect(prefixed).toEqual(["feature-updated sc-1"]);
    expect(production).toEqual(["feature-updated out-of-scope"]);
  });

  test("a stream ends when its token is revoked, and those of others stay", async () => {
    const revoked = await createToken(service);
    const stream = await openStream(service, { token: revoked.secret });
    const other = await openStream(service, { token });
    await stream.next();
    await other.next();
    await service.admin("DELETE", `/api-tokens/${revoked.id}`);
    await stream.ended;
    await createFlag(service, "after-revocation");
    expect(summarize((await other.next()).data.events)).toEqual([
      "feature-updated after-revocation",
    ]);
  });

  test("a stream ends when its token expires, also when that was changed meanwhile", async () => {
    const expiring = await createToken(service);
    const stream = await openStream(service, { token: expiring.secret });
    await stream.next();
    const expiresAt = new Date(Date.now() + 1200).toISOString();
    await service.admin("PUT", `/api-tokens/${expiring.id}`, { expiresAt });
    await stream.ended;
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
  });

  test("closing the service ends its streams", async () => {
    const closing = await startService(service.storage);
    const stream = await openStream(closing, { token });
    await stream.next();
    await closing.app.close();
    await stream.ended;
    await expect(stream.next()).rejects.toThrow("The stream has ended");
  });

  test("HEAD opens no stream", async () => {
    const call = { method: "HEAD", token };
    expect((await service.request("/api/client/streaming", call)).status).toBe(404);
  });

  describe("timing", () => {
    const startTimed = async (over: Partial<Storage>, streams: StreamOptions) => {
      const { storage } = service;
      const app = Fastify(serverOptions(GUARD));
      handleFailures(app, collectErrors([]), () => undefined);
      const wrapped = { ...storage, ...over };
      const authentication = createAuthentication(wrapped);
      await registerSdkApi(app, { storage: wrapped, authentication, streams });
      onTestFinished(() => endApp(app));
      return { app, ...(await listen(app)) };
    };

    test("a stream too many is refused until another one ends", async () => {
      const timed = await startTimed({}, { maxStreams: 1 });
      const first = await openStream(timed, { token });
      await first.next();
      const refused = await timed.request("/api/client/streaming", { token });
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "10"]);
      expect(await refused.json()).toMatchObject({
        name: "TooManyStreamsError",
        message: expect.stringContaining("at most 1 streams"),
      });

      first.close();
      const later = (): Promise<string> =>
        openStream(timed, { token }).then(
          async (stream) => (await stream.next()).name,
          () => "refused",
        );
      await expect.poll(later, { timeout: 5000 }).toBe("unleash-connected");
    });

    test("comments keep a stream alive on which nothing happens", async () => {
      const timed = await startTimed({}, { keepAliveMs: 20 });
      const stream = await openStream(timed, { token });
      await expect.poll(stream.comments, { timeout: 5000 }).toBeGreaterThan(2);
    });

    test("a change that went by unheard is found all the same", async () => {
      const deaf: Partial<Storage> = { onChange: () => () => undefined };
      const timed = await startTimed(deaf, { checkIntervalMs: 50 });
      const stream = await openStream(timed, { token });
      await stream.next();
      await createFlag(service, "unheard");
      expect(summarize((await stream.next()).data.events)).toEqual(["feature-updated unheard"]);
    });

    test("streams live through a database that is away for a moment", async () => {
      const failing = { isOn: false };
      const revision = async (): Promise<number> => {
        if (failing.isOn) throw new Error("Connection terminated");
        return service.storage.revision();
      };
      const timed = await startTimed({ revision }, { checkIntervalMs: 50 });
      const stream = await openStream(timed, { token });
      await stream.next();
      failing.isOn = true;
      await createFlag(service, "during-the-outage");
      failing.isOn = false;
      expect(summarize((await stream.next()).data.events)).toEqual([
        "feature-updated during-the-outage",
      ]);
    });

    /** Larger than what two sockets keep for a reader that does not read. */
    const insertLargeFlags = (to: Storage): Promise<void> =>
      to.write(SYSTEM_ACTOR, async ({ db, record }) => {
        for (let index = 0; index < 60; index++) {
          const name = `large-${index}`;
          const description = "x".repeat(500_000);
          await db
            .insert(features)
            .values({ name, description, project: "default", createdBy: "test" });
          await db
            .insert(featureEnvironments)
            .values({ feature: name, environment: "development" });
        }
        await record({ type: "features-imported" });
      });

    const openUnread = (service: Pick<Service, "url">): Promise<IncomingMessage> =>
      new Promise((resolve) => {
        const headers = { authorization: token };
        const request = get(
          `${service.url}/api/client/streaming`,
          { headers, agent: false },
          resolve,
        );
        request.on("error", () => undefined);
        onTestFinished(() => {
          request.destroy();
        });
      });

    const countConnections = (app: FastifyInstance): Promise<number> =>
      new Promise((resolve) => {
        app.server.getConnections((_error, count) => resolve(count));
      });

    test("a reader that takes nothing is given up, and others do not notice", async () => {
      await insertLargeFlags(service.storage);
      const timed = await startTimed({}, { keepAliveMs: 50, stallMs: 300 });
      const stream = await openStream(timed, { token, query: "?namePrefix=for-" });
      await stream.next();
      const unread = await openUnread(timed);
      expect(await countConnections(timed.app)).toBe(2);
      await expect.poll(() => countConnections(timed.app), { timeout: 10_000 }).toBe(1);
      await createFlag(service, "for-the-others");
      expect(summarize((await stream.next()).data.events)).toEqual([
        "feature-updated for-the-others",
      ]);
      unread.destroy();
    });

    test("a reader that was behind gets what is different by then, in one event", async () => {
      const timed = await startTimed({}, {});
      const unread = await openUnread(timed);
      const other = await openStream(timed, { token, query: "?namePrefix=catching-" });
      await other.next();
      await createFlag(service, "catching-up");
      for (const on of [true, false, true]) {
        await switchFlag(service, "catching-up", { on });
        // NOTE: changes that come together may cancel out, and then nobody is told of them.
        const isTold = ({ feature }: DeltaEvent): boolean => feature?.enabled === on;
        while (!(await other.next()).data.events.some(isTold)) continue;
      }
      let received = "";
      for await (const chunk of unread.setEncoding("utf8")) {
        received = (received + String(chunk)).slice(-10_000);
        if (/event: unleash-updated\n.*\n\n$/s.test(received)) break;
      }
      const [, ...updates] = received.split("event: unleash-updated\n");
      expect(updates).toHaveLength(1);
      expect(updates[0]).toContain('"name":"catching-up","type":"release","enabled":true');
      expect(updates[0]?.match(/"eventId"/g)).toHaveLength(1);
    });
  });
});
