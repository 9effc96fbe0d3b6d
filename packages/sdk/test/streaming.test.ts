import { describe, expect, it } from "vitest";
import { makeSelfSigned } from "./_certificates.ts";
import {
  createClient,
  flagNames,
  flagsAfter,
  nextEvent,
  startClient,
  startLogged,
  startUpstream,
  waitForPolls,
} from "./_client.ts";
import {
  connected,
  hydration,
  lastEventIds,
  OpenStreams,
  removed,
  startStreaming,
  streamOf,
  STREAMING,
  toEvent,
  update,
  updated,
} from "./_event-stream.ts";
import { ForwardProxy } from "./_proxy.ts";
import { documentOf, FEATURES, flag, hang, json, raw, reset, serve, status } from "./_upstream.ts";
import type { Reply } from "./_upstream.ts";

const streaming = { synchronization: "streaming" } as const;
const STREAM_TYPE = { "content-type": "text/event-stream" };

describe("streaming", () => {
  it("sends the headers of the protocol and the filters, and does not poll while the stream works", async () => {
    const { upstream } = await startStreaming({
      appName: "shop",
      token: "token",
      projectName: "p",
      namePrefix: "",
    });
    await waitForPolls(5);
    expect(upstream.requests).toHaveLength(1);
    expect(upstream.requests[0]).toMatchObject({
      method: "GET",
      path: STREAMING,
      query: "project=p&namePrefix=",
      headers: {
        accept: "text/event-stream",
        authorization: "token",
        "unleash-appname": "shop",
        "unleash-client-spec": "5.2.0",
        "accept-encoding": "identity",
      },
    });
    expect(upstream.requests[0]?.headers).not.toHaveProperty("last-event-id");
  });

  it("changes from a proxy are accepted in their order, even if it last confirmed its flags as older ones", async () => {
    const upstream = await startUpstream();
    const streams = new OpenStreams(connected(1, hydration(flag("a"))));
    upstream.reply(STREAMING, (response, request) => {
      response.setHeader("X-Flags-Age-Seconds", "0");
      streams.reply(response, request);
    });
    const { client, messages } = await startLogged(upstream, streaming);
    const confirm = (ageSeconds: number): void =>
      streams.write(`: X-Flags-Age-Seconds: ${ageSeconds}\n\n`);
    confirm(0);
    // Of several confirmations of the same flags, a later one can arrive faster, and so say an earlier time.
    confirm(60);
    streams.write(update(2, updated(flag("b"))));
    await expect.poll(() => flagNames(client)).toEqual(["a", "b"]);
    expect(upstream.seen(STREAMING)).toHaveLength(1);
    expect(messages).toEqual([]);
  });

  it("applies changes as they arrive, in an order that does not depend on their sequence", async () => {
    const { streams, client } = await startStreaming();
    const flagsAfterEvents = (id: number, ...events: readonly object[]) =>
      flagsAfter(client, () => streams.write(update(id, ...events)));
    expect(await flagsAfterEvents(2, updated(flag("c")), updated(flag("b")))).toEqual([
      "a",
      "b",
      "c",
    ]);
    expect(await flagsAfterEvents(3, removed("a"))).toEqual(["b", "c"]);
    expect(await flagsAfterEvents(4, hydration(flag("z")))).toEqual(["z"]);
  });

  it("accepts an event that arrives in several chunks, even if they split a character", async () => {
    const { upstream, client } = await startStreaming();
    const bytes = Buffer.from(connected(2, hydration(flag("é"))));
    upstream.reply(STREAMING, (response) => {
      response.writeHead(200, STREAM_TYPE);
      const cut = bytes.indexOf("é") + 1;
      response.write(bytes.subarray(0, cut), () => response.write(bytes.subarray(cut)));
    });
    await client.close();
    const second = await startClient(upstream, streaming);
    expect(flagNames(second)).toEqual(["é"]);
  });

  it("confirms the flags at any time while the stream is open", async () => {
    const { upstream, streams, client } = await startStreaming();
    if (!client.isLive) await nextEvent(client, "live");
    expect([client.origin, client.isLive]).toEqual(["upstream", true]);
    upstream.features(status(503));
    upstream.reply(STREAMING, status(503));
    const isLive = new Promise((resolve) => client.on("live", resolve));
    const before = performance.now();
    streams.reset();
    expect(await isLive).toBe(false);
    expect(client.isLive).toBe(false);
    expect(client.confirmedAtMs).toBeLessThanOrEqual(before);
  });

  it("ignores unknown events, and treats comments as confirmations", async () => {
    const { streams, client } = await startStreaming();
    const unchanged = nextEvent(client, "unchanged");
    const before = client.lastFetchAtMs ?? 0;
    streams.write(`event: from-the-future\ndata: nonsense\n\n:\n\n`);
    await unchanged;
    expect(client.lastFetchAtMs).toBeGreaterThanOrEqual(before);
    expect(flagNames(client)).toEqual(["a"]);
  });

  it.each([
    ["ends", (streams: OpenStreams) => streams.end()],
    ["is reset", (streams: OpenStreams) => streams.reset()],
  ])(
    "reconnects with Last-Event-ID if the stream %s, and applies the missed changes",
    async (_name, cut) => {
      // Long enough that the client does not fall back to polling.
      const { upstream, streams, client } = await startStreaming({ refreshIntervalMs: 5000 });
      await flagsAfter(client, () => streams.write(update("7", updated(flag("b")))));
      upstream.script(STREAMING, streamOf(connected("8", updated(flag("c")))));
      expect(await flagsAfter(client, () => cut(streams))).toEqual(["a", "b", "c"]);
      await upstream.next(STREAMING);
      expect(lastEventIds(upstream.seen(STREAMING))).toEqual([undefined, "7", "8"]);
    },
  );

  it.each([
    ["is not JSON", "event: unleash-updated\nid: 2\ndata: {\n\n"],
    ["is not a delta", "event: unleash-updated\nid: 2\ndata: 7\n\n"],
    ["has no list of events", update(2, 7 as unknown as object)],
    ["contains a flag without a name", update(2, updated({ enabled: true }))],
    ["removes a flag without naming it", update(2, { type: "feature-removed" })],
    ["contains null instead of a flag", update(2, { type: "feature-updated", feature: null })],
  ])("keeps its flags and requests everything if an event %s", async (_name, event) => {
    const { upstream, streams, client, messages } = await startStreaming();
    upstream.reply(STREAMING, new OpenStreams(connected(3, hydration(flag("b")))).reply);
    const again = upstream.next(STREAMING);
    const changed = nextEvent(client, "changed");
    streams.write(update(1, updated(flag("discarded"))));
    streams.write(event);
    expect((await again).headers).not.toHaveProperty("last-event-id");
    await changed;
    await expect.poll(() => flagNames(client)).toEqual(["b"]);
    expect(messages[0]).toContain("error: Streaming flags failed: The document is not usable: ");
  });

  it("rejects changes without a preceding hydration", async () => {
    const upstream = await startUpstream();
    upstream.script(STREAMING, streamOf(connected(9, updated(flag("only-this")))));
    upstream.reply(STREAMING, new OpenStreams(connected(1, hydration(flag("a")))).reply);
    upstream.features(status(503));
    const client = await startClient(upstream, streaming);
    expect(flagNames(client)).toEqual(["a"]);
  });

  it("calls the header function for every connection", async () => {
    let calls = 0;
    const { upstream, streams } = await startStreaming({
      refreshIntervalMs: 5000,
      customHeadersFunction: () => {
        calls += 1;
        return Promise.resolve({ authorization: `token-${calls}` });
      },
    });
    const again = upstream.next(STREAMING);
    streams.end();
    expect((await again).headers.authorization).toBe("token-2");
  });

  it("uses the forward proxy and the configured certificate authority", async () => {
    const tls = makeSelfSigned();
    const upstream = await startUpstream(tls);
    upstream.reply(STREAMING, new OpenStreams(connected(1, hydration(flag("a")))).reply);
    const proxy = await ForwardProxy.start();
    const client = await startClient(upstream, {
      ...streaming,
      httpsProxy: `http://${proxy.host}`,
      httpOptions: { ca: tls.cert },
    });
    expect(flagNames(client)).toEqual(["a"]);
    expect(proxy.seen.map(({ line }) => line)).toEqual([`CONNECT 127.0.0.1:${upstream.port}`]);
    await client.close();
    await proxy.close();
  });

  it("close() closes the stream without an error", async () => {
    const { upstream, streams, client, messages } = await startStreaming();
    await client.close();
    await expect.poll(() => streams.size).toBe(0);
    expect(messages).toEqual([]);
    expect(upstream.seen(STREAMING)).toHaveLength(1);
  });
});

describe("streaming falls back to polling", () => {
  it.each([404, 405, 501])(
    "the client polls immediately if the upstream responds with %d, and returns to streaming later",
    async (code) => {
      const upstream = await startUpstream();
      upstream.reply(STREAMING, status(code));
      const { client, messages } = await startLogged(upstream, streaming);
      expect(flagNames(client)).toEqual(["a"]);
      expect(messages).toEqual([
        expect.stringMatching(
          new RegExp(
            `^warn: Streaming flags failed: .* responded with ${code}: .*; polling instead$`,
          ),
        ),
      ]);

      const servePolled = (): void => upstream.features(serve(documentOf(flag("b"))));
      expect(await flagsAfter(client, servePolled)).toEqual(["b"]);
      const streams = new OpenStreams(connected(1, hydration(flag("c"))));
      const serveStream = (): void => upstream.reply(STREAMING, streams.reply);
      expect(await flagsAfter(client, serveStream)).toEqual(["c"]);

      const { length } = upstream.seen(FEATURES);
      await waitForPolls(5);
      // One poll may have been pending.
      expect(upstream.seen(FEATURES).length).toBeLessThanOrEqual(length + 1);
    },
  );

  it("the client polls if the response is a page instead of a stream", async () => {
    const upstream = await startUpstream();
    upstream.reply(STREAMING, raw("<html>", { "content-type": "text/html" }));
    const client = await startClient(upstream, streaming);
    expect(flagNames(client)).toEqual(["a"]);
  });

  it.each<[string, Reply]>([
    ["401", status(401)],
    ["403", status(403)],
    ["429", status(429)],
    ["500", status(500)],
    ["503", status(503)],
    ["a hang", hang],
    ["a reset", reset],
    ["an empty stream", streamOf("")],
    ["garbage", streamOf("event: unleash-connected\ndata: <html>\n\n")],
    ["an unusable hydration", streamOf(connected(1, hydration({ nameless: true })))],
    ["a document instead of a delta", streamOf("event: unleash-connected\ndata: {}\n\n")],
    ["not gzip", raw("nothing", { ...STREAM_TYPE, "content-encoding": "gzip" })],
  ])(
    "the client polls at startup, and keeps its last flags, if the first response is %s",
    async (_name, failure) => {
      const upstream = await startUpstream();
      upstream.reply(STREAMING, failure);
      const { client, messages } = await startLogged(upstream, {
        ...streaming,
        // Only if it is needed, because the machine may be busy.
        ...(failure === hang && { timeoutMs: 500 }),
      });
      expect(flagNames(client)).toEqual(["a"]);
      expect(messages[0]).toContain("Streaming flags failed: ");

      upstream.features(status(500));
      await upstream.nextOf(2);
      expect(flagNames(client)).toEqual(["a"]);

      const streams = new OpenStreams(connected(1, hydration(flag("streamed"))));
      const serveStream = (): void => upstream.reply(STREAMING, streams.reply);
      expect(await flagsAfter(client, serveStream)).toEqual(["streamed"]);
      await expect
        .poll(() => messages.at(-1))
        .toMatch(/^warn: Streaming flags works again after \d+ failed attempts?$/);
    },
  );

  it("the client polls if a stream is cut off and cannot be opened again", async () => {
    const { upstream, streams, client } = await startStreaming();
    upstream.reply(STREAMING, status(503));
    expect(await flagsAfter(client, () => streams.reset())).toEqual(["polled"]);
  });

  it("the client restores the streamed flags after polling if there are no more changes", async () => {
    const { upstream, streams, client } = await startStreaming();
    upstream.reply(STREAMING, status(503));
    expect(await flagsAfter(client, () => streams.reset())).toEqual(["polled"]);
    const resume = (): void => upstream.reply(STREAMING, new OpenStreams(connected(1)).reply);
    expect(await flagsAfter(client, resume)).toEqual(["a"]);
    expect(lastEventIds(upstream.seen(STREAMING)).at(-1)).toBe("1");
  });

  it("the client honours Retry-After after a 429 and a 503", async () => {
    const delaysMs = [429, 503].map(async (code) => {
      const upstream = await startUpstream();
      upstream.script(STREAMING, status(code, { "retry-after": "1" }));
      upstream.reply(STREAMING, new OpenStreams(connected(1, hydration(flag("a")))).reply);
      const client = createClient(upstream, streaming);
      const first = upstream.next(STREAMING);
      client.start();
      await first;
      const startMs = performance.now();
      await upstream.next(STREAMING);
      return performance.now() - startMs;
    });
    for (const delayMs of await Promise.all(delaysMs)) expect(delayMs).toBeGreaterThan(950);
  });

  it("the client honours the delay that the stream requested with `retry`", async () => {
    const { upstream, streams } = await startStreaming();
    streams.write("retry: 500\n\n");
    const startMs = performance.now();
    const again = upstream.next(STREAMING);
    streams.end();
    await again;
    expect(performance.now() - startMs).toBeGreaterThan(450);
  });

  it("the client polls once if the interval is 0", async () => {
    const upstream = await startUpstream();
    upstream.reply(STREAMING, status(404));
    const client = await startClient(upstream, { ...streaming, refreshIntervalMs: 0 });
    await waitForPolls(5);
    expect(flagNames(client)).toEqual(["a"]);
    expect(upstream.seen(FEATURES)).toHaveLength(1);
  });

  it("the client polls if the stream contains only unknown events", async () => {
    const upstream = await startUpstream();
    upstream.reply(STREAMING, streamOf(toEvent("toggles", 1, hydration(flag("wrong")))));
    upstream.features(json(documentOf(flag("right"))));
    const client = await startClient(upstream, streaming);
    expect(flagNames(client)).toEqual(["right"]);
  });
});
