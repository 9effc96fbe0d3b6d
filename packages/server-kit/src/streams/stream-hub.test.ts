import { expect, onTestFinished, test } from "vitest";
import type { EventStream } from "./event-stream.ts";
import { LARGE_TEXT, openStream, startStreamServer } from "../../test/_streams.ts";
import { StreamHub, type HubStream, type StreamHubOptions } from "./stream-hub.ts";

/** The last chunk of a response. */
const RESPONSE_END = /\r\n0\r\n\r\n$/;

function createHub(options: Partial<StreamHubOptions<HubStream>> = {}): StreamHub<HubStream> {
  const hub = new StreamHub({
    limits: { maxStreams: 10 },
    update: ({ events }) => events.send({ name: "updated", id: 1, data: "{}" }),
    reconnectDelayMs: () => 1234,
    ...options,
  });
  onTestFinished(() => hub.close());
  return hub;
}

test("comments keep a stream alive, until its client disconnects", async () => {
  const hub = createHub({ keepAliveMs: 10 });
  const { events, client, received } = await openStream(await startStreamServer());
  hub.add({ events });
  await expect.poll(received).toMatch(/:\n\n\r\n[^]*:\n\n/);
  expect(hub.size).toBe(1);
  client.destroy();
  await expect.poll(() => hub.size).toBe(0);
});

test("a client that reads nothing is disconnected, and other clients are not", async () => {
  const hub = createHub({ keepAliveMs: 10, stallMs: 50 });
  const server = await startStreamServer();
  const [slow, other] = [await openStream(server), await openStream(server)];
  slow.client.pause();
  slow.events.write(LARGE_TEXT);
  for (const { events } of [slow, other]) hub.add({ events });
  await expect.poll(() => hub.closed.stalled).toBe(1);
  await expect.poll(() => hub.size).toBe(1);
  hub.update(hub.streams());
  await expect.poll(other.received).toContain("event: updated");
});

test("clients with the most unread events are disconnected if these take too much memory", async () => {
  const server = await startStreamServer();
  const hub = createHub({ maxUnreadBytes: 2.5 * LARGE_TEXT.length, unreadCheckMs: 50 });
  const openPaused = async (event: string | Buffer): Promise<EventStream> => {
    const { client, events } = await openStream(server);
    client.pause();
    events.write(event);
    hub.add({ events });
    return events;
  };
  await openPaused(LARGE_TEXT + LARGE_TEXT);
  // The last two share the memory of one event.
  const shared = Buffer.from(LARGE_TEXT);
  const others = [await openPaused(LARGE_TEXT), await openPaused(shared), await openPaused(shared)];
  await expect.poll(() => hub.closed.stalled).toBe(1);
  await expect.poll(() => hub.size).toBe(3);
  const open = new Set(hub.streams().map(({ events }) => events));
  expect(others.every((events) => open.has(events))).toBe(true);
});

test("update() sends to every given stream, and drained streams are updated again", async () => {
  const hub = createHub();
  const { events, client, received } = await openStream(await startStreamServer());
  hub.add({ events });
  hub.update(hub.streams());
  await expect.poll(received).toMatch(/event: updated/);
  client.pause();
  events.write(LARGE_TEXT);
  client.resume();
  await expect.poll(() => received().match(/event: updated/g)).toHaveLength(2);
});

test("a stream ends at its maximum age, with a delay for its client", async () => {
  const hub = createHub({ maxAgeMs: 50 });
  const { events, received } = await openStream(await startStreamServer());
  hub.add({ events });
  await expect.poll(received).toMatch(RESPONSE_END);
  expect(received()).toContain("retry: 1234\n\n");
  expect(hub.size).toBe(0);
  expect(hub.closed.max_age).toBe(1);
});

test("closed counts each stream once, by the reason", async () => {
  const hub = createHub();
  const server = await startStreamServer();
  const add = async (key: string): Promise<HubStream> => {
    const stream = { key, events: (await openStream(server)).events };
    hub.add(stream);
    return stream;
  };
  const revoked = await add("revoked");
  await add("expired");
  await add("open");
  hub.end(revoked, "revoked");
  hub.end(revoked, "outdated");
  hub.endIf(({ key }) => key === "expired", "signature_expired");
  expect(hub.closed).toEqual({
    max_age: 0,
    outdated: 0,
    revoked: 1,
    shutdown: 0,
    signature_expired: 1,
    stalled: 0,
  });
  hub.close();
  expect(hub.closed.shutdown).toBe(1);
});

test("hasCapacity() applies the limits in total and per key", async () => {
  const hub = createHub({ limits: { maxStreams: 4, maxStreamsPerKey: 2, maxBytes: 100 } });
  const server = await startStreamServer();
  const add = async (key: string, bytes: number): Promise<HubStream> => {
    const { events } = await openStream(server);
    const stream = { events, key, bytes };
    hub.add(stream);
    return stream;
  };
  const first = await add("a", 40);
  expect([hub.size, hub.bytes]).toEqual([1, 40]);
  // Half of the streams are half of the memory.
  expect([hub.hasCapacity("a", 10), hub.hasCapacity("a", 11)]).toEqual([true, false]);
  await add("a", 0);
  expect([hub.hasCapacity("a"), hub.hasCapacity("b")]).toEqual([false, true]);
  await add("b", 0);
  await add("c", 0);
  expect(hub.hasCapacity("b")).toBe(false);
  hub.end(first, "revoked");
  expect(hub.hasCapacity("b", 50)).toBe(true);
  expect([hub.size, hub.bytes]).toEqual([3, 0]);
});

test("close() ends open streams and those that are added later", async () => {
  const hub = createHub();
  const server = await startStreamServer();
  const open = await openStream(server);
  hub.add({ events: open.events });
  const late = await openStream(server);
  hub.close();
  hub.add({ events: late.events });
  await expect.poll(open.received).toMatch(RESPONSE_END);
  await expect.poll(late.received).toMatch(RESPONSE_END);
  expect(open.received()).toContain("retry: 1234\n\n");
  expect(hub.isClosed).toBe(true);
});
