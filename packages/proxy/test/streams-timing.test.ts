import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { EventStream } from "flags-server-kit/http";
import { Registry } from "prom-client";
import { expect, onTestFinished, test, vi } from "vitest";
import { Visibility } from "../src/core/access/visible-flags.ts";
import { proxyFormat } from "../src/core/protocols/proxy.ts";
import { writeToggles } from "../src/core/routes/toggles.ts";
import { FlagEvents } from "../src/node/streaming/flag-events.ts";
import { StreamTokens } from "../src/core/streaming/stream-tokens.ts";
import { FlagStreams, type FlagStreamsOptions } from "../src/node/streaming/flag-streams.ts";
import { createRenderer } from "../src/core/response/rendering.ts";
import { toSource } from "../src/sources/sources.ts";
import { flag, withConstraint } from "./_documents.ts";
import { readEvents } from "../../server-kit/test/_event-reader.ts";
import { namesIn } from "./_stream-events.ts";
import { KEY } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

/** Starts a server where `/7` opens the stream of user 7. */
async function startStreams(source: DocumentSource, options: Partial<FlagStreamsOptions>) {
  const formats = new Map([["toggles", { ...createRenderer(proxyFormat), write: writeToggles }]]);
  const registry = new Registry();
  const tokens = new StreamTokens("secret");
  const streams = new FlagStreams(
    { limits: { maxStreams: 100 }, ...options },
    { sources: [source], events: new FlagEvents(formats), tokens, registry },
  );
  const server = createServer(({ url = "/" }, response) => {
    const events = new EventStream(response, {});
    const storedText = JSON.stringify({ context: { userId: url.slice(1) } });
    const flags = new Visibility().get(toSource(source));
    const grant = { key: KEY, kind: "client", flags } as const;
    streams.opener({ grant, storedText, lastEventId: undefined })(events);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    streams.close();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const read = async (name: string): Promise<number> => {
    const metric = await registry.getSingleMetric(`flags_proxy_push_${name}`)?.get();
    return metric?.values[0]?.value ?? Number.NaN;
  };
  return { streams, url, read };
}

/** Opens a stream without reading it. */
function openUnread(url: string): Promise<IncomingMessage> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, resolve);
    request.on("error", () => undefined);
    onTestFinished(() => void request.destroy());
  });
}

/** For user 1 only; larger than what sockets buffer for a client that does not read. */
const large = (letter: string): object =>
  flag(letter, {
    strategies: [withConstraint("userId", ["1"])],
    variants: [
      {
        name: letter.repeat(16 * 1024 * 1024),
        weight: 1000,
        stickiness: "default",
      },
    ],
  });

test("comments keep a stream alive", async () => {
  const { url } = await startStreams(new DocumentSource({ features: [] }), { keepAliveMs: 20 });
  const stream = await readEvents(url);
  await expect.poll(() => stream.comments()).toBeGreaterThan(2);
});

test("a stream ends at its maximum age, with a reconnection delay", async () => {
  const { streams, url } = await startStreams(new DocumentSource({ features: [] }), {
    maxAgeMs: 200,
  });
  const stream = await readEvents(url);
  await stream.next();
  await stream.ended;
  expect(stream.retries).toHaveLength(2);
  expect(streams.size).toBe(0);
});

test("a client that reads nothing is disconnected, and other clients are not", async () => {
  const source = new DocumentSource({ features: [large("x")] });
  const { streams, url, read } = await startStreams(source, { keepAliveMs: 20, stallMs: 200 });
  await openUnread(`${url}1`);
  const other = await readEvents(url);
  await other.next();
  await expect.poll(() => read("streams_dropped_total")).toBe(1);
  expect(streams.size).toBe(1);
  source.replace({ features: [flag("new")] });
  expect(namesIn(await other.next())).toEqual(["new"]);
});

test("a slow client receives only the current flags once it has caught up", async () => {
  const source = new DocumentSource({ features: [large("x")] });
  const { url } = await startStreams(source, {});
  const unread = await openUnread(`${url}1`);
  const other = await readEvents(url);
  await other.next();
  for (const name of ["one", "two", "three"]) {
    source.replace({ features: [flag(name)] });
    // oxlint-disable-next-line no-await-in-loop -- waits until each change was sent
    expect(namesIn(await other.next())).toEqual([name]);
  }
  let tail = "";
  for await (const chunk of unread.setEncoding("utf8")) {
    tail = (tail + String(chunk)).slice(-1000);
    if (tail.includes('"name":"three"')) break;
  }
  expect(tail).not.toContain('"name":"one"');
  expect(tail).not.toContain('"name":"two"');
});

test("a rule that depends on the time takes effect without a change of the flags", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const soon = new Date(Date.now() + 60_000).toISOString();
  const constraint = { contextName: "currentTime", operator: "DATE_AFTER", value: soon };
  const strategy = { name: "default", parameters: {}, constraints: [constraint] };
  const source = new DocumentSource({ features: [flag("later", { strategies: [strategy] })] });
  const { url } = await startStreams(source, { clockIntervalMs: 50 });
  const stream = await readEvents(url);
  expect(namesIn(await stream.next())).toEqual([]);
  vi.setSystemTime(Date.parse(soon) + 1);
  expect(namesIn(await stream.next())).toEqual(["later"]);
});

test("a custom strategy is evaluated again regularly", async () => {
  let isOn = false;
  const strategy = { name: "switch", isEnabled: () => isOn };
  const document = { features: [flag("custom", { strategies: [{ name: "switch" }] })] };
  const { url } = await startStreams(new DocumentSource(document, [strategy]), {
    clockIntervalMs: 20,
  });
  const stream = await readEvents(url);
  expect(namesIn(await stream.next())).toEqual([]);
  isOn = true;
  expect(namesIn(await stream.next())).toEqual(["custom"]);
});

test("after close(), no stream can be opened", async () => {
  const source = new DocumentSource({ features: [] });
  const { streams } = await startStreams(source, {});
  streams.close();
  expect(() => streams.checkCapacity(KEY, 0)).toThrow("cannot open another stream now");
  source.replace({ features: [flag("new")] });
  expect(streams.size).toBe(0);
});
