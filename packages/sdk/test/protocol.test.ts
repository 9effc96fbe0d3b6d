import { describe, expect, it } from "vitest";
import {
  collectMessages,
  createClient,
  nextEvent,
  startClient,
  startLogged,
  startUpstream,
  waitForPolls,
} from "./_client.ts";
import { documentOf, flag, json, serve, status } from "./_upstream.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("polling", () => {
  it("sends the headers of the protocol", async () => {
    const upstream = await startUpstream();
    await startClient(upstream, { appName: "shop", instanceId: "one", token: "token" });
    expect(upstream.requests[0]).toMatchObject({
      method: "GET",
      path: "/api/client/features",
      query: "",
      headers: {
        accept: "application/json",
        authorization: "token",
        "user-agent": "shop",
        "unleash-appname": "shop",
        "unleash-instanceid": "one",
        "unleash-client-spec": "5.2.0",
        "unleash-interval": "10",
        "unleash-sdk": expect.stringMatching(/^flags-sdk:\d/) as string,
        "unleash-connection-id": expect.stringMatching(UUID) as string,
      },
    });
    expect(upstream.requests[0]?.headers).not.toHaveProperty("if-none-match");
  });

  it("sends no Authorization without a token", async () => {
    const upstream = await startUpstream();
    await startClient(upstream);
    expect(upstream.requests[0]?.headers).not.toHaveProperty("authorization");
  });

  it("encodes an appName that is not a valid header value", async () => {
    const upstream = await startUpstream();
    const client = await startClient(upstream, { appName: "магазин" });
    expect(upstream.requests[0]?.headers["unleash-appname"]).toMatch(/^(%[0-9A-F]{2})+$/);
    upstream.features(serve(documentOf(flag("mine", { strategies: [onlyFor("магазин")] }))));
    await nextEvent(client, "changed");
    expect(client.isEnabled("mine")).toBe(true);
  });

  it("requests the project, name prefix and tags, in that order", async () => {
    const upstream = await startUpstream();
    await startClient(upstream, {
      projectName: "my project",
      namePrefix: "shop.",
      tags: [
        { name: "team", value: "a&b" },
        { name: "kind", value: "x:y" },
      ],
    });
    expect(upstream.requests[0]?.query).toBe(
      "project=my+project&namePrefix=shop.&tag=team%3Aa%26b&tag=kind%3Ax%3Ay",
    );
  });

  it("sends customHeaders, and calls customHeadersFunction for every request", async () => {
    const upstream = await startUpstream();
    let calls = 0;
    const client = createClient(upstream, {
      token: "token",
      customHeaders: { Authorization: "fixed", "X-Fixed": "fixed", "X-Both": "fixed" },
      customHeadersFunction: async () => {
        calls += 1;
        return { "x-both": `made ${calls}` };
      },
    });
    const requests = upstream.nextOf(2);
    client.start();
    const [first, second] = await requests;
    expect(first?.headers).toMatchObject({
      authorization: "fixed",
      "x-fixed": "fixed",
      "x-both": "made 1",
    });
    expect(second?.headers["x-both"]).toBe("made 2");
  });

  it("retries if customHeadersFunction fails", async () => {
    const upstream = await startUpstream();
    let calls = 0;
    const { messages } = await startLogged(upstream, {
      customHeadersFunction: async () => {
        calls += 1;
        if (calls === 1) throw new Error("no token yet");
        return {};
      },
    });
    expect(messages[0]).toBe(
      "error: Fetching flags failed: Cannot create the request headers: no token yet",
    );
  });

  it("sends conditional requests, and emits unchanged after a 304", async () => {
    const upstream = await startUpstream();
    upstream.features(serve(documentOf(flag("a")), 'W/"one"'));
    const client = await startClient(upstream);
    const { snapshot, lastUpdateAtMs } = client;
    const fetchedAtMs = client.lastFetchAtMs ?? 0;
    await nextEvent(client, "unchanged");
    expect(upstream.requests[1]?.headers["if-none-match"]).toBe('W/"one"');
    expect(client.snapshot).toBe(snapshot);
    await nextEvent(client, "unchanged");
    expect(client.lastFetchAtMs).toBeGreaterThan(fetchedAtMs);
    expect(client.lastUpdateAtMs).toBe(lastUpdateAtMs);
  });

  it("sends unconditional requests if the upstream sends no ETag, and keeps an equal snapshot", async () => {
    const upstream = await startUpstream();
    upstream.features(json(documentOf(flag("a"))));
    const client = await startClient(upstream);
    const { snapshot } = client;
    await nextEvent(client, "unchanged");
    expect(upstream.requests[1]?.headers).not.toHaveProperty("if-none-match");
    expect(client.snapshot).toBe(snapshot);
  });

  it("does not send the ETag of an earlier document after one without an ETag", async () => {
    const upstream = await startUpstream();
    const client = createClient(upstream);
    upstream.scriptFeatures(serve(documentOf(flag("a"))), json(documentOf(flag("b"))));
    const requests = upstream.nextOf(3);
    client.start();
    const etags = (await requests).map(({ headers }) => headers["if-none-match"]);
    expect(etags.map((etag) => etag !== undefined)).toEqual([false, true, false]);
  });

  it("refreshIntervalMs 0 polls until the first success", async () => {
    const upstream = await startUpstream();
    upstream.scriptFeatures(status(500));
    await startClient(upstream, { refreshIntervalMs: 0 });
    await waitForPolls(5);
    expect(upstream.requests).toHaveLength(2);
  });

  it("two clients have equal revisions for equal documents", async () => {
    const [one, other] = [await startUpstream(), await startUpstream()];
    one.features(json({ version: 2, features: [flag("a")], meta: { revisionId: 1 } }));
    other.features(json({ meta: {}, segments: [], features: [flag("a")], version: 2 }));
    const clients = [await startClient(one), await startClient(other)];
    expect(clients[0]?.snapshot?.revision).toMatch(/^[0-9a-f]{16}$/);
    expect(clients[0]?.snapshot?.revision).toBe(clients[1]?.snapshot?.revision);
  });

  it("provides the definitions of thousands of flags as they were sent", async () => {
    const upstream = await startUpstream();
    const document = documentOf(...Array.from({ length: 9000 }, (_, index) => flag(`${index}`)));
    upstream.features(json(document));
    const client = await startClient(upstream);
    // As text, because comparing them member by member takes seconds.
    expect(JSON.stringify(client.definitions)).toBe(JSON.stringify({ ...document, segments: [] }));
  });

  it("provides the definitions as they were sent", async () => {
    const upstream = await startUpstream();
    const segments = [{ id: 1, name: "s", constraints: [] }];
    upstream.features(json({ version: 3, features: [flag("a", { own: 1 })], segments }));
    const client = await startClient(upstream);
    expect(client.definitions).toEqual({ version: 3, features: [flag("a", { own: 1 })], segments });
    expect(client.getFeatureDefinitions()).toEqual([flag("a", { own: 1 })]);
  });

  it("warns about invalid parts of a document, once for each document", async () => {
    const upstream = await startUpstream();
    upstream.features(json(documentOf(flag("odd", { strategies: "none" }))));
    const { client, messages } = await startLogged(upstream);
    await nextEvent(client, "unchanged");
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain('warn: flag "odd": ');
  });
});

describe("registration", () => {
  const options = { metricsIntervalMs: 60_000, refreshIntervalMs: 1000 };
  const PATH = "/api/client/register";

  it("describes the client, once", async () => {
    const upstream = await startUpstream();
    const strategy = { name: "mine", isEnabled: () => true };
    const client = createClient(upstream, {
      ...options,
      appName: "shop",
      instanceId: "one",
      token: "token",
      strategies: [strategy],
    });
    const registered = nextEvent(client, "registered");
    const arrived = upstream.next(PATH);
    client.start();
    const { headers, body } = await arrived;
    expect(headers).toMatchObject({
      authorization: "token",
      "content-type": "application/json",
      "unleash-appname": "shop",
      "unleash-interval": "60000",
    });
    expect(headers).not.toHaveProperty("unleash-client-spec");
    expect(JSON.parse(body)).toEqual({
      appName: "shop",
      instanceId: "one",
      connectionId: headers["unleash-connection-id"],
      sdkVersion: headers["unleash-sdk"],
      strategies: [
        "mine",
        "default",
        "applicationHostname",
        "gradualRolloutRandom",
        "gradualRolloutUserId",
        "gradualRolloutSessionId",
        "userWithId",
        "remoteAddress",
        "flexibleRollout",
      ],
      started: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      interval: 60_000,
      platformName: "node",
      platformVersion: process.version,
      yggdrasilVersion: null,
      specVersion: "5.2.0",
    });
    expect((await registered)[0]).toEqual(JSON.parse(body));
  });

  it("is retried until it is accepted", async () => {
    const upstream = await startUpstream();
    upstream.script(PATH, status(401), status(503));
    const client = createClient(upstream, { ...options, metricsIntervalMs: 20 });
    const messages = collectMessages(client);
    client.start();
    await nextEvent(client, "registered");
    expect(upstream.seen(PATH)).toHaveLength(3);
    await expect.poll(() => messages.length).toBe(3);
    expect(messages.map((text) => text.split(" failed:")[0])).toEqual([
      "error: Registering with the upstream",
      "warn: Registering with the upstream",
      "warn: Registering with the upstream works again after 2 failed attempts",
    ]);
  });

  it.each([{ metricsIntervalMs: 0 }, { disableMetrics: true }, { disableRegistration: true }])(
    "is disabled by %j",
    async (disabling) => {
      const upstream = await startUpstream();
      const client = await startClient(upstream, { ...options, ...disabling });
      await client.close();
      expect(upstream.seen(PATH)).toEqual([]);
    },
  );
});

function onlyFor(appName: string): object {
  const constraints = [{ contextName: "appName", operator: "IN", values: [appName.trim()] }];
  return { name: "default", constraints };
}
