import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { FeatureDefinitions, FlagSource, FlagSourceEvents } from "flags-sdk";
import { EventStream } from "flags-server-kit/http";
import { expect, onTestFinished, test } from "vitest";
import { DefinitionsFeeds } from "./definitions-feeds.ts";
import { DefinitionsStream } from "./definitions-stream.ts";
import { DefinitionsStreams, type StreamLimits } from "./definitions-streams.ts";

const EVERYTHING = { projects: [], namePrefix: "" };
const documentOf = (size: number): FeatureDefinitions => ({
  version: 2,
  features: [{ name: "a", description: "x".repeat(size) }],
  segments: [],
});

/** Streams to whoever connects, over what a test puts in force. */
async function startStreams(limits: StreamLimits) {
  let onChange: () => void = () => undefined;
  const source = {
    definitions: documentOf(1),
    on: (_event: keyof FlagSourceEvents, listener: () => void) => (onChange = listener),
    off: () => undefined,
  };
  const feeds = new DefinitionsFeeds();
  const asSource = source as unknown as FlagSource;
  const streams = new DefinitionsStreams([asSource], feeds, limits);
  onTestFinished(() => streams.close());
  const server = createServer((_request, response) => {
    const feed = feeds.current(asSource, EVERYTHING);
    if (feed === undefined) throw new TypeError("There are definitions from the start");
    const events = new EventStream(response, {});
    const stream = new DefinitionsStream({ source: asSource, feed, events });
    stream.greet(undefined);
    streams.add(stream);
    server.emit("stream");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const open = async (): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
    await once(server, "stream");
    return socket;
  };
  const replace = (definitions: FeatureDefinitions): void => {
    source.definitions = definitions;
    onChange();
  };
  return { streams, open, replace };
}

test("DefinitionsStreams gives up a reader that takes nothing, and holds one message for it meanwhile", async () => {
  const { streams, open, replace } = await startStreams({ keepAliveMs: 20, stallMs: 200 });
  const socket = await open();
  socket.pause();
  replace(documentOf(32 * 1024 * 1024));
  const { arrayBuffers, external } = process.memoryUsage();
  for (let size = 0; size < 10; size += 1) replace(documentOf(8 * 1024 * 1024 + size));
  const grown = process.memoryUsage();
  expect(grown.arrayBuffers + grown.external - arrayBuffers - external).toBeLessThan(
    64 * 1024 * 1024,
  );
  expect(streams.size).toBe(1);
  await expect.poll(() => streams.size).toBe(0);
});

test("DefinitionsStreams holds one message for all readers that are behind", async () => {
  const { open, replace } = await startStreams({});
  for (let count = 0; count < 8; count += 1) {
    // oxlint-disable-next-line no-await-in-loop -- the server tells of them one by one
    const socket = await open();
    socket.pause();
  }
  const before = heldBytes();
  replace(documentOf(32 * 1024 * 1024));
  // Much of it is the document and its text; with a message for each it would be 350 MiB.
  expect(heldBytes() - before).toBeLessThan(240 * 1024 * 1024);
});

function heldBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

test("DefinitionsStreams brings a reader that catches up to the latest state at once", async () => {
  const { open, replace } = await startStreams({});
  const socket = await open();
  socket.pause();
  replace(documentOf(32 * 1024 * 1024));
  replace({ ...documentOf(1), features: [{ name: "skipped" }] });
  replace({ ...documentOf(1), features: [{ name: "latest" }] });
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  socket.resume();
  await expect.poll(() => text.slice(-500)).toContain("latest");
  // NOTE: not the text itself, of which a failure would show all 32 MiB.
  expect(text.includes('"feature":{"name":"skipped"')).toBe(false);
  expect(text.match(/event: unleash-updated/g)).toHaveLength(2);
});

test("DefinitionsStreams shows that it is there, and refuses more than it may hold", async () => {
  const { streams, open } = await startStreams({ keepAliveMs: 10, maxStreams: 1 });
  expect(() => streams.requireRoom()).not.toThrow();
  const socket = await open();
  expect(() => streams.requireRoom()).toThrow("There can be at most 1 streams");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  await expect.poll(() => text).toMatch(/:\n\n\r\n[^]*:\n\n/);
  socket.destroy();
  await expect.poll(() => streams.size).toBe(0);
  expect(() => streams.requireRoom()).not.toThrow();
});
