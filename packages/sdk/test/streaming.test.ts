import { describe, expect, it } from "vitest";
import type { FlagsClient, FlagsClientOptions } from "flags-sdk";
import { makeSelfSigned } from "./_certificates.ts";
import {
  collectFaults,
  createClient,
  flagNames,
  nextEvent,
  startClient,
  startUpstream,
} from "./_client.ts";
import {
  connected,
  eventOf,
  hydration,
  lastEventIds,
  OpenStreams,
  removed,
  streamOf,
  STREAMING,
  update,
  updated,
} from "./_event-stream.ts";
import { ForwardProxy } from "./_proxy.ts";
import {
  documentOf,
  flag,
  hang,
  json,
  raw,
  reset,
  serve,
  status,
  type Upstream,
} from "./_upstream.ts";
import type { Reply } from "./_upstream.ts";

const FEATURES = "/api/client/features";
const streaming = { synchronization: "streaming" } as const;
const STREAM_TYPE = { "content-type": "text/event-stream" };

interface Streaming {
  readonly upstream: Upstream;
  readonly streams: OpenStreams;
  readonly client: FlagsClient;
}

/** An upstream with the flag `a`, and a client that listens to it. */
async function startStreaming(options: Partial<FlagsClientOptions> = {}): Promise<Streaming> {
  const upstream = await startUpstream();
  const streams = new OpenStreams(connected(1, hydration(flag("a"))));
  upstream.reply(STREAMING, streams.reply);
  // Polls, if there are any, would say so.
  upstream.features(serve(documentOf(flag("polled"))));
  const client = await startClient(upstream, { ...streaming, ...options });
  return { upstream, streams, client };
}

async function changeOf(client: FlagsClient, work: () => void): Promise<void> {
  const changed = nextEvent(client, "changed");
  work();
  await changed;
}

describe("streaming", () => {
  it("asks with the headers of the protocol and the filters, and never polls while it works", async () => {
    const { upstream } = await startStreaming({
      appName: "shop",
      token: "token",
      projectName: "p",
      namePrefix: "",
    });
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

  it("puts changes in force as they come, in an order that does not tell of their history", async () => {
    const { streams, client } = await startStreaming();
    await changeOf(client, () => {
      streams.write(update(2, updated(flag("c")), updated(flag("b"))));
    });
    expect(flagNames(client)).toEqual(["a", "b", "c"]);
    await changeOf(client, () => streams.write(update(3, removed("a"))));
    expect(flagNames(client)).toEqual(["b", "c"]);
    await changeOf(client, () => streams.write(update(4, hydration(flag("z")))));
    expect(flagNames(client)).toEqual(["z"]);
  });

  it("understands an event that arrives in pieces, also of a character", async () => {
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

  it("passes over events and comments that say nothing of flags, and takes a sign of life as one", async () => {
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
    "comes back with Last-Event-ID when the stream %s, and takes what it missed",
    async (_name, cut) => {
      // Long enough that no poll comes first.
      const { upstream, streams, client } = await startStreaming({ refreshIntervalMs: 5000 });
      await changeOf(client, () => streams.write(update("7", updated(flag("b")))));
      upstream.script(STREAMING, streamOf(connected("8", updated(flag("c")))));
      await changeOf(client, () => cut(streams));
      expect(flagNames(client)).toEqual(["a", "b", "c"]);
      await upstream.next(STREAMING);
      expect(lastEventIds(upstream.seen(STREAMING))).toEqual([undefined, "7", "8"]);
    },
  );

  it.each([
    ["is not JSON", "event: unleash-updated\nid: 2\ndata: {\n\n"],
    ["is no delta", "event: unleash-updated\nid: 2\ndata: 7\n\n"],
    ["lists something else than events", update(2, 7 as unknown as object)],
    ["brings a flag without a name", update(2, updated({ enabled: true }))],
    ["removes nobody knows what", update(2, { type: "feature-removed" })],
    ["brings null for a flag", update(2, { type: "feature-updated", feature: null })],
  ])("keeps its flags and asks for everything when an event %s", async (_name, event) => {
    const { upstream, streams, client } = await startStreaming();
    const told = collectFaults(client);
    upstream.reply(STREAMING, new OpenStreams(connected(3, hydration(flag("b")))).reply);
    const again = upstream.next(STREAMING);
    const changed = nextEvent(client, "changed");
    streams.write(update(1, updated(flag("kept"))));
    streams.write(event);
    expect((await again).headers).not.toHaveProperty("last-event-id");
    await changed;
    await expect.poll(() => flagNames(client)).toEqual(["b"]);
    expect(told[0]).toContain("error: Streaming flags failed: The document is not usable: ");
  });

  it("does not take changes for flags when nothing came before them", async () => {
    const upstream = await startUpstream();
    upstream.script(STREAMING, streamOf(connected(9, updated(flag("only-this")))));
    upstream.reply(STREAMING, new OpenStreams(connected(1, hydration(flag("a")))).reply);
    upstream.features(status(503));
    const client = await startClient(upstream, streaming);
    expect(flagNames(client)).toEqual(["a"]);
  });

  it("makes the headers anew for every connection", async () => {
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

  it("goes through a forward proxy, and trusts who it is told to trust", async () => {
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

  it("close() ends the stream at once, silently, and is heard by the upstream", async () => {
    const { upstream, streams, client } = await startStreaming();
    const told = collectFaults(client);
    const startMs = performance.now();
    await client.close();
    expect(performance.now() - startMs).toBeLessThan(1000);
    await expect.poll(() => streams.size).toBe(0);
    expect(told).toEqual([]);
    expect(upstream.seen(STREAMING)).toHaveLength(1);
  });
});

describe("streaming falls back to polling", () => {
  it.each([404, 405, 501])(
    "at once when the upstream answers with %d, and comes back later",
    async (code) => {
      const upstream = await startUpstream();
      upstream.reply(STREAMING, status(code));
      const client = createClient(upstream, streaming);
      const told = collectFaults(client);
      client.start();
      await client.synchronized();
      expect(flagNames(client)).toEqual(["a"]);
      expect(told).toEqual([
        expect.stringMatching(
          new RegExp(`^warn: Streaming flags failed: .* answered ${code}: .*; polling instead$`),
        ),
      ]);

      // It goes on polling meanwhile.
      upstream.features(serve(documentOf(flag("b"))));
      await nextEvent(client, "changed");
      upstream.reply(STREAMING, new OpenStreams(connected(1, hydration(flag("c")))).reply);
      await nextEvent(client, "changed");
      expect(flagNames(client)).toEqual(["c"]);
      const { length } = upstream.seen(FEATURES);
      // There is no event for polls that do not happen. One may have been under way.
      await new Promise((resolve) => {
        setTimeout(resolve, 60);
      });
      expect(upstream.seen(FEATURES).length).toBeLessThanOrEqual(length + 1);
    },
  );

  it("when a page answers where the stream should be", async () => {
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
    ["silence", streamOf("")],
    ["garbage", streamOf("event: unleash-connected\ndata: <html>\n\n")],
    ["an unusable hydration", streamOf(connected(1, hydration({ nameless: true })))],
    ["a document instead of a delta", streamOf("event: unleash-connected\ndata: {}\n\n")],
    ["not gzip", raw("nothing", { ...STREAM_TYPE, "content-encoding": "gzip" })],
  ])(
    "at the start, and keeps its last flags, when the stream answers with %s",
    async (_name, fault) => {
      const upstream = await startUpstream();
      upstream.reply(STREAMING, fault);
      const client = createClient(upstream, { ...streaming, timeoutMs: 100 });
      const told = collectFaults(client);
      client.start();
      await client.synchronized();
      expect(flagNames(client)).toEqual(["a"]);
      expect(told[0]).toContain("Streaming flags failed: ");

      upstream.features(status(500));
      await upstream.nextOf(2);
      expect(flagNames(client)).toEqual(["a"]);

      const streams = new OpenStreams(connected(1, hydration(flag("streamed"))));
      const changed = nextEvent(client, "changed");
      upstream.reply(STREAMING, streams.reply);
      await changed;
      expect(flagNames(client)).toEqual(["streamed"]);
      await expect
        .poll(() => told.at(-1))
        .toMatch(/^warn: Streaming flags works again, failed attempts: \d+$/);
    },
  );

  it("in the middle, when a stream is cut off and does not come back", async () => {
    const { upstream, streams, client } = await startStreaming();
    upstream.reply(STREAMING, status(503));
    await changeOf(client, () => streams.reset());
    expect(flagNames(client)).toEqual(["polled"]);
  });

  it("and puts back what the stream had brought when nothing else is to be told", async () => {
    const { upstream, streams, client } = await startStreaming();
    upstream.reply(STREAMING, status(503));
    await changeOf(client, () => streams.reset());
    expect(flagNames(client)).toEqual(["polled"]);
    await changeOf(client, () => upstream.reply(STREAMING, new OpenStreams(connected(1)).reply));
    expect(flagNames(client)).toEqual(["a"]);
    expect(lastEventIds(upstream.seen(STREAMING)).at(-1)).toBe("1");
  });

  it.each([429, 503])("and waits as long as Retry-After asks after a %d", async (code) => {
    const upstream = await startUpstream();
    upstream.script(STREAMING, status(code, { "retry-after": "1" }));
    upstream.reply(STREAMING, new OpenStreams(connected(1, hydration(flag("a")))).reply);
    const client = createClient(upstream, streaming);
    const first = upstream.next(STREAMING);
    client.start();
    await first;
    const startMs = performance.now();
    await upstream.next(STREAMING);
    expect(performance.now() - startMs).toBeGreaterThan(950);
  });

  it("and waits as long as the stream asked for with `retry`", async () => {
    const { upstream, streams } = await startStreaming();
    streams.write("retry: 500\n\n");
    const startMs = performance.now();
    const again = upstream.next(STREAMING);
    streams.end();
    await again;
    expect(performance.now() - startMs).toBeGreaterThan(450);
  });

  it("and fetches once when nothing is to be repeated", async () => {
    const upstream = await startUpstream();
    upstream.reply(STREAMING, status(404));
    const client = await startClient(upstream, { ...streaming, refreshIntervalMs: 0 });
    expect(flagNames(client)).toEqual(["a"]);
    expect(upstream.seen(FEATURES)).toHaveLength(1);
  });

  it("without knowing more than its last answer: an event of another name brings nothing", async () => {
    const upstream = await startUpstream();
    upstream.reply(STREAMING, streamOf(eventOf("toggles", 1, hydration(flag("wrong")))));
    upstream.features(json(documentOf(flag("right"))));
    const client = await startClient(upstream, streaming);
    expect(flagNames(client)).toEqual(["right"]);
  });
});
