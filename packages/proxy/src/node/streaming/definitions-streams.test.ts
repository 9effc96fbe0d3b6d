import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as nextTick } from "node:timers/promises";
import type { FeatureDefinitions, FlagSourceEvents } from "flags-sdk";
import type { FlagSource } from "../../upstream/flag-source.ts";
import { type DeltaHubOptions, EventStream } from "flags-server-kit/http";
import { expect, onTestFinished, test } from "vitest";
import { Visibility } from "../../core/access/visible-flags.ts";
import { toSource } from "../../sources/sources.ts";
import { DefinitionsFeed, DefinitionsFeeds } from "../../core/server-sdk/definitions-feed.ts";
import { DefinitionsStreams } from "./definitions-streams.ts";

const EVERYTHING = { projects: undefined, namePrefix: "" };
const documentOf = (size: number): FeatureDefinitions => ({
  version: 2,
  features: [{ name: "a", description: "x".repeat(size) }],
  segments: [],
});

/** Starts a server of definitions that the test can replace. */
async function startStreams(options: Partial<DeltaHubOptions>) {
  let onChange: () => void = () => undefined;
  let onConfirmed: () => void = () => undefined;
  const source = {
    definitions: documentOf(1),
    on: (event: keyof FlagSourceEvents, listener: () => void) => {
      if (event === "changed") onChange = listener;
      if (event === "unchanged") onConfirmed = listener;
    },
    off: () => undefined,
  };
  const feeds = new DefinitionsFeeds();
  const asSource = source as unknown as FlagSource;
  const flags = new Visibility().get(toSource(asSource));
  const streams = new DefinitionsStreams([asSource], feeds, { maxStreams: 100, ...options });
  onTestFinished(() => streams.close());
  const server = createServer((_request, response) => {
    const feed = feeds.current(flags, EVERYTHING);
    if (feed === undefined) throw new TypeError("The source has no definitions");
    const events = new EventStream(response, {});
    const grant = { key: "", kind: "server", flags } as const;
    streams.opener({ grant, feed, lastEventId: undefined })(events);
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
  return { streams, open, replace, confirm: () => onConfirmed() };
}

test("DefinitionsStreams buffers one message for an SDK that reads nothing", async () => {
  const { streams, open, replace } = await startStreams({});
  const socket = await open();
  socket.pause();
  replace(documentOf(32 * 1024 * 1024));
  await nextTick();
  const { arrayBuffers, external } = process.memoryUsage();
  for (let size = 0; size < 10; size += 1) {
    replace(documentOf(8 * 1024 * 1024 + size));
    // oxlint-disable-next-line no-await-in-loop -- streams are updated after this tick
    await nextTick();
  }
  const grown = process.memoryUsage();
  expect(grown.arrayBuffers + grown.external - arrayBuffers - external).toBeLessThan(
    64 * 1024 * 1024,
  );
  expect(streams.size).toBe(1);
});

test("DefinitionsStreams buffers one message for all SDKs that read nothing", async () => {
  const { open, replace } = await startStreams({});
  for (let count = 0; count < 8; count += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one connection after the other
    const socket = await open();
    socket.pause();
  }
  const before = heldBytes();
  replace(documentOf(32 * 1024 * 1024));
  await nextTick();
  // Mostly the document and its text; separate messages would require 350 MiB.
  expect(heldBytes() - before).toBeLessThan(240 * 1024 * 1024);
});

function heldBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

test("DefinitionsStreams sends only the latest state to an SDK that catches up", async () => {
  const { open, replace } = await startStreams({});
  const socket = await open();
  socket.pause();
  replace(documentOf(32 * 1024 * 1024));
  await nextTick();
  replace({ ...documentOf(1), features: [{ name: "skipped" }] });
  await nextTick();
  replace({ ...documentOf(1), features: [{ name: "latest" }] });
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  socket.resume();
  await expect.poll(() => text.slice(-500)).toContain("latest");
  // NOTE: `toContain()` would print all 32 MiB if it failed.
  expect(text.includes('"feature":{"name":"skipped"')).toBe(false);
  expect(text.match(/event: unleash-updated/g)).toHaveLength(2);
});

test("a keep-alive follows the change whose age it contains", async () => {
  const { open, replace, confirm } = await startStreams({});
  const socket = await open();
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  await expect.poll(() => text).toContain("X-Flags-Age-Seconds");
  text = "";
  replace({ ...documentOf(1), features: [{ name: "new" }] });
  confirm();
  await expect.poll(() => text).toContain("X-Flags-Age-Seconds");
  expect(text.indexOf("event: unleash-updated")).toBeGreaterThanOrEqual(0);
  expect(text.indexOf("event: unleash-updated")).toBeLessThan(text.indexOf("X-Flags-Age-Seconds"));
});

test("checkCapacity() throws at the limit, until an SDK disconnects", async () => {
  const { streams, open } = await startStreams({ maxStreams: 1 });
  expect(() => streams.checkCapacity("key", feedOf("", 1))).not.toThrow();
  const socket = await open();
  expect(() => streams.checkCapacity("key", feedOf("", 1))).toThrow(
    "There can be at most 1 streams",
  );
  socket.destroy();
  await expect.poll(() => streams.size).toBe(0);
  expect(() => streams.checkCapacity("key", feedOf("", 1))).not.toThrow();
});

/** A feed with a flag of this size, unless the prefix excludes the flag. */
const feedOf = (namePrefix: string, bytes: number): DefinitionsFeed => {
  const description = "x".repeat(bytes);
  const features = [{ name: "a", project: "shop", description }];
  const definitions = { version: 2, features, segments: [] };
  return new DefinitionsFeed({ projects: undefined, namePrefix }, definitions);
};

test("checkCapacity() limits the memory for feeds with filters", async () => {
  const { streams } = await startStreams({});
  const large = 40 * 1024 * 1024;
  expect(() => streams.checkCapacity("key", feedOf("a", large))).toThrow(
    "too many different filters",
  );
  expect(() => streams.checkCapacity("key", feedOf("", large))).not.toThrow();
});

test("a feed without flags also has a cost", () => {
  expect(feedOf("none of the flags", 1).bytes).toBeGreaterThan(0);
});
