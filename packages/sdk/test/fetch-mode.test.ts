import type { Synchronization } from "flags-sdk";
import { expect, it } from "vitest";
import { createClient, flagNames, flagsAfter, startClient, startUpstream } from "./_client.ts";
import {
  connected,
  DELTA,
  hydration,
  OpenStreams,
  startStreaming,
  streamOf,
  STREAMING,
} from "./_event-stream.ts";
import { documentOf, FEATURES, flag, json } from "./_upstream.ts";

const streaming = { synchronization: "streaming" } as const;
const POLLING_REQUEST = "event: fetch-mode\ndata: polling\n\n";
const STREAMING_REQUEST = { "fetch-mode": "streaming" };

const pollThatRequestsStreaming = json(documentOf(flag("polled")), STREAMING_REQUEST);

it("a stream that requests polling is closed, with one warning, and not opened again", async () => {
  // After 60 intervals, the client checks whether the upstream streams again. The polls must not take longer.
  const { upstream, streams, client, messages } = await startStreaming({ refreshIntervalMs: 200 });
  expect(await flagsAfter(client, () => streams.write(POLLING_REQUEST))).toEqual(["polled"]);
  await upstream.nextOf(3);
  expect(flagNames(client)).toEqual(["polled"]);
  expect(streams.size).toBe(0);
  expect(upstream.seen(STREAMING)).toHaveLength(1);
  expect(messages).toEqual([
    "warn: The upstream requests polling instead of streaming: flags are polled",
  ]);
});

it("a client that polls because the upstream requested it streams again after 60 intervals", async () => {
  const upstream = await startUpstream();
  upstream.script(STREAMING, streamOf(connected(7, hydration(flag("first"))) + POLLING_REQUEST));
  upstream.reply(STREAMING, new OpenStreams(connected(8, hydration(flag("again")))).reply);
  upstream.features(pollThatRequestsStreaming);
  const client = await startClient(upstream, streaming);
  await expect.poll(() => flagNames(client)).toEqual(["again"]);
  expect(upstream.seen(STREAMING)).toHaveLength(2);
  expect(upstream.seen(STREAMING)[1]?.headers["last-event-id"]).toBe("7");
});

it.each<[Synchronization, string]>([
  ["polling", FEATURES],
  ["delta", DELTA],
])("a client configured for %s never streams, even if requested to", async (mode, path) => {
  const upstream = await startUpstream();
  upstream.features(pollThatRequestsStreaming);
  upstream.reply(DELTA, json({ events: [hydration(flag("a"))] }, STREAMING_REQUEST));
  const client = createClient(upstream, { synchronization: mode });
  const polls = upstream.nextOf(5, path);
  client.start();
  await polls;
  expect(upstream.seen(STREAMING)).toEqual([]);
});
