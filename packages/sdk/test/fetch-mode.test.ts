import { expect, it } from "vitest";
import type { Synchronization } from "flags-sdk";
import {
  collectFaults,
  createClient,
  flagNames,
  nextEvent,
  startClient,
  startUpstream,
} from "./_client.ts";
import { connected, DELTA, hydration, OpenStreams, STREAMING, streamOf } from "./_event-stream.ts";
import { documentOf, flag, json, serve } from "./_upstream.ts";

const FEATURES = "/api/client/features";
const ASK_FOR_POLLING = "event: fetch-mode\ndata: polling\n\n";
const ASK_FOR_STREAMING = { "fetch-mode": "streaming" };

const polled = json(documentOf(flag("polled")));
const polledAndAsked = json(documentOf(flag("polled")), ASK_FOR_STREAMING);

it("a stream that asks for polling is left, with one warning, and not opened again", async () => {
  const upstream = await startUpstream();
  const streams = new OpenStreams(connected(1, hydration(flag("streamed"))));
  upstream.reply(STREAMING, streams.reply);
  upstream.features(polled);
  const client = await startClient(upstream, { synchronization: "streaming" });
  const faults = collectFaults(client);
  const changed = nextEvent(client, "changed");
  streams.write(ASK_FOR_POLLING);
  await changed;
  await upstream.nextOf(10);
  expect(flagNames(client)).toEqual(["polled"]);
  expect(streams.size).toBe(0);
  expect(upstream.seen(STREAMING)).toHaveLength(1);
  expect(faults).toEqual([
    "warn: The upstream asks for polling instead of streaming: flags are polled",
  ]);
});

it("a poll that asks for streaming opens the stream again, where it was left", async () => {
  const upstream = await startUpstream();
  upstream.script(STREAMING, streamOf(connected(7, hydration(flag("first"))) + ASK_FOR_POLLING));
  upstream.reply(STREAMING, new OpenStreams(connected(8, hydration(flag("again")))).reply);
  upstream.features(polledAndAsked);
  const client = await startClient(upstream, { synchronization: "streaming" });
  await expect.poll(() => flagNames(client), { timeout: 10_000 }).toEqual(["again"]);
  expect(upstream.seen(STREAMING)).toHaveLength(2);
  expect(upstream.seen(STREAMING)[1]?.headers["last-event-id"]).toBe("7");
});

it("a 304 that asks for streaming opens the stream again as well", async () => {
  const upstream = await startUpstream();
  upstream.script(STREAMING, streamOf(ASK_FOR_POLLING));
  upstream.reply(STREAMING, new OpenStreams(connected(8, hydration(flag("again")))).reply);
  upstream.features((response, request) => {
    const isKnown = request.headers["if-none-match"] !== undefined;
    if (isKnown) response.writeHead(304, ASK_FOR_STREAMING).end();
    else serve(documentOf(flag("polled")))(response, request);
  });
  const client = await startClient(upstream, { synchronization: "streaming" });
  await expect.poll(() => flagNames(client), { timeout: 10_000 }).toEqual(["again"]);
});

it("an upstream that contradicts itself does not make the client connect without a pause", async () => {
  const upstream = await startUpstream();
  upstream.reply(STREAMING, streamOf(connected(1, hydration(flag("a"))) + ASK_FOR_POLLING));
  upstream.features(polledAndAsked);
  await startClient(upstream, { synchronization: "streaming" });
  // One connection a second at most: a loop would have made hundreds beside these polls.
  await upstream.nextOf(60);
  expect(upstream.seen(STREAMING).length).toBeLessThan(10);
});

it.each<[Synchronization, string]>([
  ["polling", FEATURES],
  ["delta", DELTA],
])("a client that is set to %s never streams, whatever the upstream asks", async (mode, path) => {
  const upstream = await startUpstream();
  upstream.features(polledAndAsked);
  upstream.reply(DELTA, json({ events: [hydration(flag("a"))] }, ASK_FOR_STREAMING));
  const client = createClient(upstream, { synchronization: mode });
  const polls = upstream.nextOf(5, path);
  client.start();
  await polls;
  expect(upstream.seen(STREAMING)).toEqual([]);
});
