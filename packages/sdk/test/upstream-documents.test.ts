// Which responses of an upstream replace the current flags.

import { setTimeout as delay } from "node:timers/promises";
import type { FlagsClient } from "flags-sdk";
import { describe, expect, test } from "vitest";
import { createClient, startUpstream } from "./_client.ts";
import { connected, DELTA, hydration, OpenStreams, STREAMING, update } from "./_event-stream.ts";
import { documentOf, FEATURES, flag, json, serve } from "./_upstream.ts";
import type { Reply, Upstream } from "./_upstream.ts";

const INTERVAL_MS = 50;
const WAIT = { timeout: 20_000, interval: 20 };

const sizeOf = (client: FlagsClient): number | undefined => client.snapshot?.flags.length;

const withStatus =
  (status: number, body: object): Reply =>
  (response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

const NONE = { version: 2, features: [] };
const ERROR = { error: "backend down", ...NONE };

/** Starts a client that has two flags, and a log of its warnings. */
async function startWithFlags(
  synchronization: "polling" | "delta",
): Promise<{ upstream: Upstream; client: FlagsClient; warnings: string[]; path: string }> {
  const upstream = await startUpstream();
  upstream.features(serve(documentOf(flag("a"), flag("b"))));
  const path = synchronization === "delta" ? DELTA : FEATURES;
  upstream.reply(DELTA, json({ events: [{ ...hydration(flag("a"), flag("b")), eventId: 1 }] }));
  const client = createClient(upstream, { synchronization, refreshIntervalMs: INTERVAL_MS });
  const warnings: string[] = [];
  client.on("warn", (message) => warnings.push(message));
  client.start();
  await client.synchronized();
  return { upstream, client, warnings, path };
}

describe.each(["polling", "delta"] as const)("%s", (synchronization) => {
  test.each([
    ["a 206", withStatus(206, { ...NONE, events: [hydration()] })],
    ["a 202", withStatus(202, { ...NONE, events: [hydration()] })],
    ["a 204", withStatus(204, {})],
    ["an error", json({ ...ERROR, events: [hydration()] })],
    ["a list of errors", json({ ...NONE, errors: ["down"], events: [hydration()] })],
  ])("%s with the status of a success replaces nothing", async (_name, reply) => {
    const { upstream, client, path } = await startWithFlags(synchronization);
    const failures: string[] = [];
    client.on("failure", ({ message }) => failures.push(message));
    upstream.reply(FEATURES, reply);
    upstream.reply(path, reply);
    await expect.poll(() => failures.length, WAIT).toBeGreaterThan(3);
    expect(failures[0]).toMatch(/only a 200 or 203 contains|contains an error instead/);
    expect(sizeOf(client)).toBe(2);
  });

  test("no flags after flags replace them only when three more polls have confirmed it", async () => {
    const { upstream, client, warnings, path } = await startWithFlags(synchronization);
    const start = upstream.seen(path).length;
    const reply = json({ ...NONE, events: [hydration()] }, { etag: '"none"' });
    let sizeAtPoll: (number | undefined)[] = [];
    upstream.reply(path, (response, request) => {
      sizeAtPoll = [...sizeAtPoll, sizeOf(client)];
      if (request.headers["if-none-match"] === '"none"') response.writeHead(304).end();
      else reply(response, request);
    });
    await expect.poll(() => sizeOf(client), WAIT).toBe(0);
    expect(upstream.seen(path).length - start).toBeGreaterThanOrEqual(4);
    expect(sizeAtPoll.slice(0, 4)).toEqual([2, 2, 2, 2]);
    expect(warnings).toEqual([
      expect.stringMatching(/^The upstream sends no flags, after 2 flags: those are kept until /),
      expect.stringMatching(/^The number of flags has fallen from 2 to 0: check the upstream /),
    ]);
    expect(client.fall).toMatchObject({ before: 2, after: 0, isHeldBack: false });
  });
});

test("flags that return in time stay, and the age shows that they were not confirmed meanwhile", async () => {
  const { upstream, client } = await startWithFlags("polling");
  // The next polls come slowly.
  const { confirmedAtMs } = client;
  upstream.scriptFeatures(json(NONE), json(NONE), json(documentOf(flag("a"), flag("b"))));
  await expect.poll(() => client.fall?.isHeldBack, WAIT).toBe(true);
  expect(client.confirmedAtMs).toBe(confirmedAtMs);
  upstream.features(json(documentOf(flag("a"), flag("b"))));
  await expect.poll(() => client.fall, WAIT).toBeUndefined();
  expect(sizeOf(client)).toBe(2);
});

test("an upstream that follows another one is believed at once that there are no flags", async () => {
  const { upstream, client, warnings } = await startWithFlags("polling");
  upstream.features(json(NONE, { "X-Flags-Age-Seconds": "0" }));
  await expect.poll(() => sizeOf(client), WAIT).toBe(0);
  expect(warnings).toHaveLength(1);
});

test("a fall below half is a warning, and ends when the flags return", async () => {
  const { upstream, client, warnings } = await startWithFlags("polling");
  const five = documentOf(...["a", "b", "c", "d", "e"].map((name) => flag(name)));
  upstream.features(serve(five));
  await expect.poll(() => sizeOf(client), WAIT).toBe(5);
  upstream.features(serve(documentOf(flag("a"), flag("b"))));
  await expect.poll(() => client.fall, WAIT).toMatchObject({ before: 5, after: 2 });
  expect(warnings).toEqual([expect.stringContaining("has fallen from 5 to 2")]);
  upstream.features(serve(five));
  await expect.poll(() => client.fall, WAIT).toBeUndefined();
});

test("no flags after a restart follow the flags in the storage", async () => {
  const upstream = await startUpstream();
  upstream.features(json(NONE));
  const stored = { ...documentOf(flag("a")), segments: [] };
  const client = createClient(upstream, {
    refreshIntervalMs: 60_000,
    storageProvider: {
      // Slower than the upstream.
      get: () => delay(300, stored),
      set: () => Promise.reject(new Error("The stored flags must stay")),
    },
  });
  client.start();
  await expect
    .poll(() => client.fall, WAIT)
    .toMatchObject({ before: 1, after: 0, isHeldBack: true });
  expect(sizeOf(client)).toBe(1);
});

test("events of a stream that contain an error or no flags do not replace flags", async () => {
  const upstream = await startUpstream();
  const streams = new OpenStreams(connected(1, hydration(flag("a"), flag("b"))));
  upstream.reply(STREAMING, streams.reply);
  upstream.features(json(ERROR));
  const client = createClient(upstream, {
    synchronization: "streaming",
    refreshIntervalMs: 60_000,
  });
  const failures: string[] = [];
  client.on("failure", ({ message }) => failures.push(message));
  client.start();
  await client.synchronized();
  streams.write(update(2, hydration()));
  await expect.poll(() => client.fall?.isHeldBack, WAIT).toBe(true);
  streams.write(
    `event: unleash-updated\nid: 3\ndata: ${JSON.stringify({ error: "down", events: [hydration()] })}\n\n`,
  );
  await expect.poll(() => failures.join(), WAIT).toContain("The event contains an error");
  expect(sizeOf(client)).toBe(2);
});
