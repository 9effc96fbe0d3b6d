import { get, type IncomingMessage } from "node:http";
import Fastify, { type FastifyInstance } from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAuthentication } from "../src/access/authentication.ts";
import { SYSTEM_ACTOR } from "../src/storage/events.ts";
import { handleErrors } from "../src/http/error-handler.ts";
import { ConnectionGuard } from "flags-server-kit/http";
import { serverOptions } from "../src/http/server.ts";
import { compileSchemasOnUse } from "../src/http/validation.ts";
import { registerClientApi } from "../src/client-api/register-client-api.ts";
import { featureEnvironments, features } from "../src/storage/schema/features.ts";
import type { Storage } from "../src/storage/storage.ts";
import type { SdkStreamsOptions } from "../src/client-api/sdk-streams.ts";
import { openStream, type DeltaEvent, type OpenStream } from "./_event-stream.ts";
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
  type Service,
  startService,
  useService,
} from "./_service.ts";
import { describeStorages } from "./_storages.ts";

const GUARD = new ConnectionGuard({
  maxConnections: 1000,
  logger: { warn: () => undefined },
  hint: "",
});

const token = BACKEND_TOKEN;

interface Delta {
  readonly status: number;
  readonly etag: string | null;
  readonly events: readonly DeltaEvent[];
}

async function pollDelta(service: Service, ifNoneMatch?: string, query = ""): Promise<Delta> {
  const response = await service.request(`/api/client/delta${query}`, {
    token,
    headers: ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch },
  });
  const text = await response.text();
  const events = text === "" ? [] : (JSON.parse(text) as { events: DeltaEvent[] }).events;
  return { status: response.status, etag: response.headers.get("etag"), events };
}

/** Summarizes events without the definitions. */
function summarize(events: readonly DeltaEvent[]): readonly string[] {
  return events.map(({ type, feature, featureName, segment, segmentId }) => {
    const subject = feature?.name ?? featureName ?? segment?.id ?? segmentId;
    return subject === undefined ? type : `${type} ${subject}`;
  });
}

describeStorages("GET /api/client/delta", (source) => {
  const service = useService(source);
  const currentTag = async (): Promise<string> => (await pollDelta(service)).etag ?? "";

  test("sends the complete state without If-None-Match", async () => {
    const id = await createSegment(service, "hydrated", ["1"]);
    await createFlag(service, "hydrated", { strategies: [{ segments: [id] }] });
    const document = (await (
      await service.request("/api/client/features", {
        token,
        headers: KNOWS_SEGMENTS,
      })
    ).json()) as { features: unknown; segments: unknown; meta: { revisionId: number } };
    const revision = document.meta.revisionId;
    expect(await pollDelta(service)).toEqual({
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

  test("responds with a 304 if nothing has changed, for every form of the tag", async () => {
    const etag = await currentTag();
    for (const header of [etag, etag.slice(1, -1), `W/${etag}`, ` ${etag} `]) {
      expect(await pollDelta(service, header)).toEqual({ status: 304, etag, events: [] });
    }
  });

  test.each(["x", "*", '"a:b"', '"999999999"', "99999999999999999999", "-1", '"0"'])(
    "sends the complete state with If-None-Match: %s",
    async (header) => {
      const delta = await pollDelta(service, header);
      expect(summarize(delta.events)).toEqual(["hydration"]);
    },
  );

  test("sends flags that are created, switched, archived, revived and deleted", async () => {
    let etag = await currentTag();
    const after = async (change: Promise<unknown>): Promise<readonly DeltaEvent[]> => {
      await change;
      const delta = await pollDelta(service, etag);
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
    expect((await pollDelta(service, etag)).status).toBe(304);
  });

  test("sends segments before the flags that refer to them, and removes them after", async () => {
    let etag = await currentTag();
    const after = async (change: Promise<unknown>): Promise<readonly string[]> => {
      await change;
      const delta = await pollDelta(service, etag);
      etag = delta.etag ?? "";
      return summarize(delta.events);
    };
    const id = await createSegment(service, "s", ["1"]);
    expect((await pollDelta(service, etag)).status).toBe(304);
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

  test("sends a flag that changed several times once, in its current state", async () => {
    const etag = await currentTag();
    await createFlag(service, "often");
    await switchFlag(service, "often", { on: false });
    await createFlag(service, "short");
    await archiveFlag(service, "short");
    await switchFlag(service, "often", { on: true });
    const { events } = await pollDelta(service, etag);
    const own = events.filter(({ feature }) => feature !== undefined);
    expect(own).toMatchObject([{ feature: { name: "often", enabled: true } }]);
  });

  test("sends the complete state at a replica that was started later", async () => {
    const etag = await currentTag();
    await createFlag(service, "before-the-replica");
    const second = await startService(service.storage);
    expect(summarize((await pollDelta(second, etag)).events)).toEqual(["hydration"]);
    const { etag: newer } = await pollDelta(second);
    expect((await pollDelta(service, newer ?? "")).status).toBe(304);
  });

  test("applies filters and the scope of the token to changes", async () => {
    const { etag } = await pollDelta(service, undefined, "?namePrefix=mine-");
    await createFlag(service, "mine-1");
    await createFlag(service, "yours-1");
    const delta = await pollDelta(service, etag ?? "", "?namePrefix=mine-");
    expect(summarize(delta.events)).toEqual(["feature-updated mine-1"]);
  });
});

describeStorages("GET /api/client/streaming", (source) => {
  const service = useService(source);

  test("sends the complete state, and then each change", async () => {
    await createFlag(service, "streamed");
    const stream = await openStream(service, { token });
    expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(stream.headers.get("cache-control")).toContain("no-store");
    expect(stream.headers.get("x-content-type-options")).toBe("nosniff");
    expect(stream.headers.get("content-encoding")).toBe("gzip");
    expect(stream.headers.get("vary")).toBe("Authorization, Accept-Encoding");
    const first = await stream.next();
    expect(first.name).toBe("unleash-connected");
    expect(first.id).toBe(String(first.data.events[0]?.eventId));
    expect(summarize(first.data.events)).toEqual(["hydration"]);

    for (const on of [false, true, false, true, false]) {
      const next = stream.next();
      await switchFlag(service, "streamed", { on });
      const event = await next;
      expect(event.name).toBe("unleash-updated");
      expect(event.id).toBe(String(event.data.events.at(-1)?.eventId));
      expect(event.data.events).toMatchObject([
        { type: "feature-updated", feature: { name: "streamed", enabled: on } },
      ]);
    }
  });

  test("sends only changes after the Last-Event-ID", async () => {
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

  test("sends only changes in the scope of the stream", async () => {
    await service.admin("POST", "/projects", { id: "scoped", name: "Scoped" });
    const { secret } = await createToken(service, { projects: ["scoped"] });
    const streams = [
      await openStream(service, { token: secret }),
      await openStream(service, { token: PRODUCTION_TOKEN }),
      await openStream(service, { token, query: "?namePrefix=sc-" }),
    ] as const;
    for (const stream of streams) await stream.next();
    const [scoped, production, prefixed] = streams;
    const next = async (stream: (typeof streams)[number]) =>
      summarize((await stream.next()).data.events);
    await createFlag(service, "out-of-scope");
    // Otherwise one message can contain both changes.
    expect(await next(production)).toEqual(["feature-updated out-of-scope"]);
    await createFlag(service, "sc-1", { project: "scoped" });
    expect(await next(scoped)).toEqual(["feature-updated sc-1"]);
    expect(await next(prefixed)).toEqual(["feature-updated sc-1"]);
  });

  test("a stream ends when its token is revoked, and other streams do not", async () => {
    const revoked = await createToken(service);
    const stream = await openStream(service, { token: revoked.secret });
    const other = await openStream(service, { token });
    await stream.next();
    await other.next();
    await service.admin("DELETE", `/api-tokens/${revoked.id}`);
    await stream.ended;
    expect(stream.retries).toHaveLength(1);
    await createFlag(service, "after-revocation");
    expect(summarize((await other.next()).data.events)).toEqual([
      "feature-updated after-revocation",
    ]);
  });

  test("a stream ends when a project of its token is deleted, so that it never sends a new one of that name", async () => {
    const project = { id: "short-lived", name: "Short-lived" };
    await service.admin("POST", "/projects", project);
    const shared = await createToken(service, { projects: ["default", project.id] });
    const stream = await openStream(service, { token: shared.secret });
    const other = await openStream(service, { token });
    await stream.next();
    await other.next();
    await service.admin("DELETE", `/projects/${project.id}`);
    await stream.ended;
    await service.admin("POST", "/projects", project);
    await createFlag(service, "in-new-project", { project: project.id });
    expect(summarize((await other.next()).data.events)).toEqual(["feature-updated in-new-project"]);
    const again = await openStream(service, { token: shared.secret });
    const [hydration] = (await again.next()).data.events;
    expect(hydration?.features?.map(({ name }) => name)).not.toContain("in-new-project");
  });

  test("a stream ends when its token expires, even if the time is changed later", async () => {
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
    const startTimed = async (over: Partial<Storage>, streams: SdkStreamsOptions) => {
      const { storage } = service;
      const app = Fastify(serverOptions(GUARD));
      compileSchemasOnUse(app);
      handleErrors(app, { logger: collectErrors([]), observe: () => undefined });
      const wrapped = { ...storage, ...over };
      const authentication = createAuthentication(wrapped, async () => undefined);
      await registerClientApi(app, { storage: wrapped, authentication, streams });
      onTestFinished(() => endApp(app));
      return { app, ...(await listen(app)) };
    };

    test("responds with a 503 at the limit, until another stream ends", async () => {
      const timed = await startTimed({}, { maxStreams: 1 });
      const first = await openStream(timed, { token });
      await first.next();
      const rejected = await timed.request("/api/client/streaming", { token });
      expect([rejected.status, rejected.headers.get("retry-after")]).toEqual([503, "10"]);
      expect(await rejected.json()).toMatchObject({
        name: "TooManyStreamsError",
        message: expect.stringContaining("at most 1 streams"),
      });

      first.close();
      const later = (): Promise<string> =>
        openStream(timed, { token }).then(
          async (stream) => (await stream.next()).name,
          () => "rejected",
        );
      await expect.poll(later).toBe("unleash-connected");
    });

    test("responds with a 503 to additional queries when the feeds of open streams use too much memory", async () => {
      // One token can use half of it.
      const timed = await startTimed({}, { maxFeedBytes: 24_000 });
      const query = (name: string) => `?namePrefix=${name.repeat(2000)}`;
      const streams: OpenStream[] = [];
      const open = async (name: string): Promise<void> => {
        const stream = await openStream(timed, { token, query: query(name) });
        streams.push(stream);
        await stream.next();
      };
      await open("a");
      await open("b");
      const rejected = await timed.request(`/api/client/streaming${query("c")}`, { token });
      expect([rejected.status, rejected.headers.get("retry-after")]).toEqual([503, "10"]);
      expect(await rejected.json()).toMatchObject({ name: "TooManyStreamsError" });
      await open("a");

      for (const stream of streams) stream.close();
      const later = (): Promise<string> =>
        open("c").then(
          () => "open",
          () => "rejected",
        );
      await expect.poll(later).toBe("open");
    });

    test("a change is sent when it is committed, without waiting for the regular check", async () => {
      const timed = await startTimed({}, { checkIntervalMs: 3_600_000 });
      const stream = await openStream(timed, { token });
      await stream.next();
      await createFlag(service, "committed");
      expect(summarize((await stream.next()).data.events)).toEqual(["feature-updated committed"]);
    });

    test("comments keep an idle stream alive", async () => {
      const timed = await startTimed({}, { keepAliveMs: 20 });
      const stream = await openStream(timed, { token });
      await expect.poll(stream.comments).toBeGreaterThan(2);
    });

    test("a change is found even if its notification was missed", async () => {
      const withoutNotifications: Partial<Storage> = { onChange: () => () => undefined };
      const timed = await startTimed(withoutNotifications, { checkIntervalMs: 50 });
      const stream = await openStream(timed, { token });
      await stream.next();
      await createFlag(service, "missed-notification");
      expect(summarize((await stream.next()).data.events)).toEqual([
        "feature-updated missed-notification",
      ]);
    });

    test("streams survive a short outage of the database", async () => {
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

    /** Larger than what sockets buffer for a client that does not read. */
    const insertLargeFlags = (to: Storage): Promise<void> =>
      to.write(SYSTEM_ACTOR, async ({ db, record }) => {
        for (let index = 0; index < 32; index++) {
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

    test("an SDK that reads nothing is disconnected, and other SDKs are not", async () => {
      await insertLargeFlags(service.storage);
      const timed = await startTimed({}, { keepAliveMs: 50, stallMs: 300 });
      const stream = await openStream(timed, { token, query: "?namePrefix=for-" });
      await stream.next();
      const unread = await openUnread(timed);
      expect(await countConnections(timed.app)).toBe(2);
      await expect.poll(() => countConnections(timed.app)).toBe(1);
      await createFlag(service, "for-the-others");
      expect(summarize((await stream.next()).data.events)).toEqual([
        "feature-updated for-the-others",
      ]);
      unread.destroy();
    });

    test("a slow SDK receives one event with all changes once it has caught up", async () => {
      const timed = await startTimed({}, {});
      const unread = await openUnread(timed);
      const other = await openStream(timed, { token, query: "?namePrefix=catching-" });
      await other.next();
      await createFlag(service, "catching-up");
      for (const on of [true, false, true]) {
        await switchFlag(service, "catching-up", { on });
        // NOTE: changes that are processed together may cancel out, and then no event is sent.
        const hasChange = ({ feature }: DeltaEvent): boolean => feature?.enabled === on;
        while (!(await other.next()).data.events.some(hasChange)) continue;
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
